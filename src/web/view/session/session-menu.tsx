import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionInfo } from "../../../schema/session.ts";
import { useSource } from "../../state/source.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";

/** The time for which a link to a session is valid, in milliseconds. */
const SHARED_MS = 86_400_000;

/** Shows the menu with a session's commands. */
export function SessionMenu({ info }: { info: SessionInfo }) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) list.current?.querySelector<HTMLElement>("button, a")?.focus();
  }, [isOpen]);
  const act = (work: () => Promise<unknown>) => {
    setOpen(false);
    void app.attempt(work);
  };
  const copy = (text: string | Promise<string>, said: string) =>
    act(async () => {
      await navigator.clipboard.writeText(await text);
      app.say(said);
    });
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const items = [...(list.current?.querySelectorAll<HTMLElement>("button, a") ?? [])];
    const at = items.findIndex((item) => item.matches(":focus"));
    items[(at + by + items.length) % items.length]?.focus();
  };
  const hasEnded = ["stopped", "failed", "lost"].includes(info.state);
  const runtimes = useSource(app.runtimes);
  const capabilities = runtimes.find(({ name }) => name === info.runtime)?.capabilities ?? [];
  const can = (capability: (typeof capabilities)[number]) => capabilities.includes(capability);
  const fork = async () => {
    const { opened, openedAfter, ...forked } = await app.api.fork(info.id);
    app.board.adopt([forked]);
    app.go({ view: "session", id: forked.id });
  };
  const address = () => new URL(app.hrefOfEvent(info.id), app.api.base).href;
  const share = async () => {
    const { secret } = await app.api.share(info.id, SHARED_MS);
    return new URL(`#share=${secret}`, app.api.base).href;
  };
  return (
    <div class="menu">
      <button
        type="button"
        class="quiet icon"
        aria-label="More"
        title="More (m)"
        data-key="m"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <>
          <button
            type="button"
            class="scrim"
            data-key="esc"
            aria-label="Close the menu"
            onClick={() => setOpen(false)}
          />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the buttons inside */}
          <div class="menu-list" ref={list} onKeyDown={step}>
            {(hasEnded || info.state === "detached") && info.resumable && (
              <button type="button" onClick={() => act(() => app.api.resume(info.id))}>
                Resume the session
              </button>
            )}
            {can("fork") && (
              <button type="button" onClick={() => act(fork)}>
                Fork the conversation
              </button>
            )}
            {can("compact") && !hasEnded && (
              <button type="button" onClick={() => act(() => app.api.compact(info.id))}>
                Compact the conversation
              </button>
            )}
            <button type="button" onClick={() => copy(info.id, "The session id was copied.")}>
              Copy the id
            </button>
            <button type="button" onClick={() => copy(address(), "The address was copied.")}>
              Copy the address
            </button>
            <button
              type="button"
              onClick={() => copy(app.api.markdown(info.id), "The session was copied as Markdown.")}
            >
              Copy as Markdown
            </button>
            <button
              type="button"
              onClick={() =>
                copy(
                  share(),
                  "A read-only link was copied. It is valid for one day. To revoke it, open Settings.",
                )
              }
            >
              Copy a read-only link
            </button>
            <a
              href={new URL(`v1/sessions/${info.id}/export`, app.api.base).href}
              download={`${info.id}.jsonl`}
              onClick={() => setOpen(false)}
            >
              Download the log
            </a>
            <a
              href={new URL(`v1/sessions/${info.id}/export?format=html`, app.api.base).href}
              download={`${info.name ?? info.id}.html`}
              onClick={() => setOpen(false)}
            >
              Download as one HTML file
            </a>
            {!hasEnded && (
              <button type="button" class="bad" onClick={() => act(() => app.api.stop(info.id))}>
                Stop the session
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}
