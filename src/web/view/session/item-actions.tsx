import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item } from "../../state/item.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";

interface Props {
  readonly sessionId: string;
  readonly items: readonly Item[];
  /** The element that contains the items. */
  readonly place: RefObject<HTMLElement | null>;
}

/**
 * Shows buttons for the item under the pointer or with the focus: copy its address, and copy its text as Markdown. One
 * element serves all items, because buttons in each item would double the size of a long transcript.
 */
export function ItemActions({ sessionId, items, place }: Props) {
  const app = useApp();
  const box = useRef<HTMLDivElement>(null);
  const [key, setKey] = useState<string>();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const onMove = ({ target }: Event) => {
      if (!(target instanceof Element) || box.current?.contains(target)) return;
      setKey(target.closest<HTMLElement>("[data-item]")?.dataset.item);
    };
    element.addEventListener("pointerover", onMove);
    element.addEventListener("focusin", onMove);
    return () => {
      element.removeEventListener("pointerover", onMove);
      element.removeEventListener("focusin", onMove);
    };
  }, [place]);
  const item = key === undefined ? undefined : items.find((one) => one.key === key);
  useLayoutEffect(() => {
    const target =
      key && place.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(key)}"]`);
    if (target) box.current?.style.setProperty("top", `${target.offsetTop}px`);
  }, [key, items, place]);
  if (!item || item.kind === "end" || item.kind === "note") return null;
  const text = item.kind === "text" || item.kind === "user" ? item.text : undefined;
  const copy = (copied: string, said: string) =>
    void app.attempt(async () => {
      await navigator.clipboard.writeText(copied);
      app.say(said);
    });
  const address = () => new URL(app.hrefOfEvent(sessionId, item.seq), app.api.base).href;
  return (
    <div class="item-actions" ref={box}>
      {text !== undefined && (
        <button
          type="button"
          class="quiet icon"
          aria-label="Copy as Markdown"
          title="Copy as Markdown"
          onClick={() => copy(text, "The message was copied as Markdown.")}
        >
          <Icon name="copy" />
        </button>
      )}
      {!app.isRecording && (
        <button
          type="button"
          class="quiet icon"
          aria-label="Copy the address"
          title="Copy the address of this position"
          onClick={() => copy(address(), "The address was copied.")}
        >
          <Icon name="link" />
        </button>
      )}
    </div>
  );
}
