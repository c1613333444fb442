import { useEffect, useRef, useState } from "preact/hooks";
import { requestLine } from "../state/activity.ts";
import { type Entry, groupOf, titleOf } from "../state/board.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";

/** The delay between a change and its announcement, in milliseconds, so that many changes become one announcement. */
const PAUSE_MS = 2000;

/**
 * Announces to screen readers that a session needs an answer or has ended its turn. The transcript itself is not a live
 * region, because it would cause too many announcements.
 */
export function Announcer() {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const known = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  const news = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    const before = known.current;
    known.current = new Map([...entries].map(([id, entry]) => [id, groupOf(entry.info)]));
    if (!before || before.size === 0) return;
    for (const [id, entry] of entries) {
      const group = known.current.get(id);
      const was = before.get(id);
      if (was === group || was === undefined) continue;
      const said = describe(entry, group);
      if (said !== undefined) news.current.push(said);
    }
    if (news.current.length === 0 || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setText(news.current.slice(-3).join(". "));
      news.current = [];
    }, PAUSE_MS);
  }, [entries]);
  return (
    <div class="only-read-aloud" role="status" aria-live="polite">
      {text}
    </div>
  );
}

function describe({ info, activity }: Entry, group: string | undefined): string | undefined {
  const [request] = info.openRequests;
  if (group === "needs" && request) return `${titleOf(info)}: ${requestLine(request)}`;
  if (group !== "done") return undefined;
  return `${titleOf(info)} ${info.lastOutcome === "failed" ? "failed" : "is done"}: ${activity.text}`;
}
