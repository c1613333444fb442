import type { Halyard } from "../../core/halyard.ts";
import type { SessionInfo, SessionState } from "../../schema/session.ts";
import { openNearby } from "../open-nearby.ts";
import { cleanText } from "../output/clean.ts";
import { table } from "../output/table.ts";
import { age, firstLine, shorten, shortenLeft, tilde } from "../output/words.ts";
import { openTerminal, type Terminal, throwIfUnwritable } from "../terminal.ts";

export interface SessionsOptions {
  readonly format: "text" | "json";
  readonly limit: number;
  readonly state?: SessionState;
}

export async function sessions({ format, limit, state }: SessionsOptions): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  const states = state ? { states: [state] } : {};
  const found = await halyard.sessions({ limit: limit + 1, ...states });
  const shown = found.slice(0, limit);
  if (format === "json")
    for (const info of shown) await terminal.out.write(`${JSON.stringify(info)}\n`);
  else await writeTable(halyard, shown, terminal, found.length > limit);
  throwIfUnwritable(terminal);
  return 0;
}

async function writeTable(
  halyard: Halyard,
  shown: readonly SessionInfo[],
  { out, err }: Terminal,
  hasMore: boolean,
): Promise<void> {
  if (shown.length === 0) return err.write('No sessions. Start one: halyard run "…"\n');
  const rows: string[][] = [];
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE).map((info) => row(halyard, info));
    rows.push(...(await Promise.all(some)));
  }
  const [heading = "", ...lines] = table([HEADINGS, ...rows]);
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const line of lines)
    await out.write(`${out.isTerminal ? shorten(line, out.columns) : line}\n`);
  if (hasMore) await err.write(err.colors.dim("There are more: --limit shows them.\n"));
}

/** Each of them may be a request to the daemon. */
const AT_ONCE = 8;

const HEADINGS = ["SESSION", "RUNTIME", "STATE", "AGE", "TURNS", "DIRECTORY", "ABOUT"];

async function row(halyard: Halyard, info: SessionInfo): Promise<string[]> {
  const { id, runtime, state, createdAt, turns, cwd, name } = info;
  const about = name ?? (await firstWords(halyard, info));
  const directory = shortenLeft(tilde(cwd), 30);
  const since = age(Date.now() - Date.parse(createdAt));
  return [id, runtime, state, since, String(turns), directory, shorten(cleanText(about), 60)];
}

/** What the session was first asked, which is near the beginning of its log or nowhere. */
async function firstWords(halyard: Halyard, { id: sessionId }: SessionInfo): Promise<string> {
  for await (const event of halyard.events({ sessionId, follow: false })) {
    if (event.type === "system" && event.turnId && event.text) return firstLine(event.text);
    if (event.seq >= 20) break;
  }
  return "";
}
