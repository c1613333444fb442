import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { findInSession } from "../../state/find-in-session.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { showWords } from "./show-words.ts";

/** The delay between the last keystroke and the search, in milliseconds. */
const PAUSE_MS = 150;

/** Finds words in one session. Enter shows the previous match, Shift+Enter the next one. */
export function FindBar({ id, onClose }: { id: string; onClose(): void }) {
  const app = useApp();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState("");
  const [found, setFound] = useState<readonly number[]>();
  const [at, setAt] = useState(0);
  // a layout effect, so that the field has the focus before the next keystroke
  useLayoutEffect(() => field.current?.focus(), []);
  const show = (places: readonly number[], index: number) => {
    setAt(index);
    const seq = places[index];
    if (seq !== undefined) location.replace(app.hrefOfEvent(id, seq));
  };
  useEffect(() => {
    if (words.trim().length < 2) return setFound(undefined);
    let isCurrent = true;
    const timer = setTimeout(() => {
      findInSession(app.api, id, { words, isLocal: app.isReadOnly }).then(
        (places) => {
          if (!isCurrent) return;
          setFound(places);
          show(places, places.length - 1);
        },
        () => isCurrent && setFound([]), // ignored, because the user may not have finished typing a phrase
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [app, id, words]);
  // Marks the words. The transcript loads the position separately and then shows it.
  useEffect(() => showWords(document, words, found?.[at]), [words, found, at]);
  const move = (step: number) => {
    if (found && found.length > 0) show(found, (at + step + found.length) % found.length);
  };
  return (
    <search class="find">
      <input
        ref={field}
        type="search"
        aria-label="Find in this session"
        placeholder="Find in this session"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          } else if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            move(event.shiftKey ? 1 : -1);
          }
        }}
      />
      <span class="count" role="status">
        {found && (found.length === 0 ? "No matches" : `${at + 1} of ${found.length}`)}
      </span>
      <button
        type="button"
        class="quiet icon"
        aria-label="Previous match"
        disabled={!found?.length}
        onClick={() => move(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label="Next match"
        disabled={!found?.length}
        onClick={() => move(1)}
      >
        <Icon name="down" />
      </button>
      <button type="button" class="quiet icon" aria-label="Close the search" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  );
}
