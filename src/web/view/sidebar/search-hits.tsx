import { useEffect, useState } from "preact/hooks";
import type { SearchHit, SearchOrder } from "../../../schema/search.ts";
import { hrefOf } from "../../state/route.ts";
import { useApp } from "../context.ts";

/** The delay between the last keystroke and the request to the server, in milliseconds. */
const PAUSE_MS = 200;

const MOST_HITS = 30;

/** Lists the events in all sessions that match the search. Each hit links to its position in the transcript. */
export function SearchHits({ words }: { words: string }) {
  const app = useApp();
  const [hits, setHits] = useState<readonly SearchHit[]>([]);
  const [order, setOrder] = useState<SearchOrder>("newest");
  useEffect(() => {
    if (words.trim().length < 2) return setHits([]);
    let isCurrent = true;
    const timer = setTimeout(() => {
      app.api.search(words, MOST_HITS, { order }).then(
        (found) => isCurrent && setHits(found.hits),
        () => isCurrent && setHits([]), // ignored, because the user may not have finished typing a phrase
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [app, words, order]);
  if (hits.length === 0) return null;
  return (
    <section class="group group-hits">
      <h2>
        In transcripts <span class="count">{hits.length}</span>
        <button
          type="button"
          class="quiet"
          aria-pressed={order === "relevance"}
          onClick={() => setOrder(order === "newest" ? "relevance" : "newest")}
        >
          Best first
        </button>
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
