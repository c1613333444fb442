import { resolve } from "node:path";
import type { Halyard } from "../../contracts/halyard.ts";
import type { SearchOptions } from "../../contracts/store.ts";
import { findSession } from "../../halyard/find-session.ts";
import { canonicalName } from "../../schema/runtimes/built-in-runtimes.ts";
import type { SearchHit, SearchOrder, SearchResult } from "../../schema/search.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanLine, visibleText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { formatAge, formatCount } from "../text/format.ts";

export interface SearchCommandOptions {
  readonly format: "text" | "json";
  readonly limit: number;
  readonly session?: readonly string[];
  readonly runtime?: string;
  readonly cwd?: string;
  readonly project?: string;
  readonly since?: string;
  readonly until?: string;
  readonly order?: SearchOrder;
}

/** Searches the events of sessions and prints the hits. */
export async function search(query: string, options: SearchCommandOptions): Promise<number> {
  const { format, limit, session, runtime, cwd, project, since, until, order } = options;
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const sessions = session && (await Promise.all(session.map((text) => idOf(halyard, text))));
  const { hits, pending } = await searchAll(halyard, query, console, {
    limit,
    ...(sessions && { sessions }),
    ...(runtime !== undefined && { runtime: canonicalName(runtime) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(project !== undefined && { project }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(order !== undefined && { order }),
  });
  if (format === "json")
    for (const hit of hits) await console.out.write(`${JSON.stringify(hit)}\n`);
  else if (hits.length === 0) await console.err.write("Nothing matches.\n");
  else for (const text of hitTexts(hits, console.out.colors)) await console.out.write(text);
  if (pending > 0)
    await warn(console, [`${pending} new events are not indexed yet. Search again to find them.`]);
  throwIfUnwritable(console);
  return 0;
}

async function idOf(halyard: Halyard, text: string): Promise<string> {
  return (await findSession(halyard, text)).id;
}

/**
 * Repeats the search until all events are indexed, or until sessions write faster than the index grows. The first
 * search in a store indexes the logs of all sessions.
 */
async function searchAll(
  halyard: Halyard,
  query: string,
  { err, canAnimate }: Console,
  options: SearchOptions,
): Promise<SearchResult> {
  let result = await halyard.search(query, options);
  for (let before = Number.POSITIVE_INFINITY; 0 < result.pending && result.pending < before; ) {
    before = result.pending;
    if (canAnimate)
      await err.write(`\rIndexing the log: ${formatCount(before)} events are left\u001b[K`);
    result = await halyard.search(query, options);
    if (canAnimate) await err.write("\r\u001b[K");
  }
  return result;
}

/** Formats hits, with a heading for each session. */
function hitTexts(hits: readonly SearchHit[], colors: Colors): string[] {
  let last: string | undefined;
  return hits.map((hit) => {
    const heading = hit.sessionId === last ? "" : `${last ? "\n" : ""}${headingOf(hit, colors)}\n`;
    last = hit.sessionId;
    const place = colors.dim(`${String(hit.seq).padStart(6)}  ${originOf(hit)}:`);
    return `${heading}${place} ${highlight(hit, colors)}\n`;
  });
}

function headingOf({ sessionId, title, runtime, at }: SearchHit, colors: Colors): string {
  const age = formatAge(Date.now() - Date.parse(at));
  const name = title === undefined ? "" : `  ${cleanLine(title)}`;
  return `${colors.bold(sessionId)}${name}${colors.dim(`  ${runtime}, ${age} ago, ${at}`)}`;
}

function originOf({ type, role, tool }: SearchHit): string {
  switch (type) {
    case "message":
      return role ?? "";
    case "tool_call":
      return cleanLine(tool ?? "");
    case "tool_result":
      return "result";
    case "request":
      return "question";
  }
}

function highlight({ snippet, marks }: SearchHit, colors: Colors): string {
  let shown = "";
  let end = 0;
  for (const mark of marks) {
    shown += visibleText(snippet.slice(end, mark.start));
    shown += colors.bold(colors.yellow(visibleText(snippet.slice(mark.start, mark.end))));
    end = mark.end;
  }
  return shown + visibleText(snippet.slice(end));
}
