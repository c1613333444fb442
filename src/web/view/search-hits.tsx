import { useEffect, useState } from "preact/hooks";
import type { SearchHit } from "../../schema/search.ts";
import { hrefOf } from "../state/route.ts";
import { useApp } from "./context.ts";

/** Pause after the last letter before the server is asked. */
const PAUSE_MS = 200;

const MOST_HITS = 30;

/** What was said in all sessions, as far as it matches. A hit leads to its place in the transcript. */
export function SearchHits({ words }: { words: string }) {
  const app = useApp();
  const [hits, setHits] = useState<readonly SearchHit[]>([]);
  useEffect(() => {
    if (words.trim().length < 2) return setHits([]);
    let isCurrent = true;
    const timer = setTimeout(() => {
      app.api.search(words, MOST_HITS).then(
        (found) => isCurrent && setHits(found.hits),
        () => isCurrent && setHits([]), // the words may be half a phrase
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [app, words]);
  if (hits.length === 0) return null;
  return (
    <section class="group group-hits">
      <h2>
        In transcripts <span class="count">{hits.length}</span>
      </h2>
      {hits.map((hit) => (
        <a
          key={hit.position}
          class="hit"
          href={hrefOf({ view: "session", id: hit.sessionId, seq: hit.seq })}
        >
          <span class="name">{hit.title ?? hit.sessionId}</span>
          <span class="snippet">{withMarks(hit)}</span>
        </a>
      ))}
    </section>
  );
}

function withMarks({ snippet, marks }: SearchHit) {
  let end = 0;
  const parts = marks.map(({ start, end: stop }) => {
    const before = snippet.slice(end, start);
    end = stop;
    return (
      <>
        {before}
        <mark>{snippet.slice(start, stop)}</mark>
      </>
    );
  });
  return [...parts, snippet.slice(end)];
}
