import { resolve } from "node:path";
import { canonicalName } from "../../schema/built-in-runtimes.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionState } from "../../schema/session-state.ts";
import { openNearby } from "../open-nearby.ts";
import type { Colors } from "../output/colors.ts";
import { displayWidth } from "../output/display-width.ts";
import { table } from "../output/table.ts";
import { age, tilde } from "../output/words.ts";
import { openTerminal, type Terminal, throwIfUnwritable } from "../terminal.ts";

export interface SessionsOptions {
  readonly format: "text" | "json";
  readonly limit: number;
  readonly state?: SessionState;
  readonly label?: Readonly<Record<string, string>>;
  readonly runtime?: string;
  readonly cwd?: string;
}

export async function sessions(options: SessionsOptions): Promise<number> {
  const { format, limit, state, label: labels, runtime, cwd } = options;
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  const filter = {
    ...(state && { states: [state] }),
    ...(labels && { labels }),
    ...(runtime !== undefined && { runtime: canonicalName(runtime) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  };
  const found = await halyard.sessions({ limit: limit + 1, ...filter });
  const shown = found.slice(0, limit);
  if (format === "json")
    for (const info of shown) await terminal.out.write(`${JSON.stringify(info)}\n`);
  else await writeTable(shown, terminal, found.length > limit);
  throwIfUnwritable(terminal);
  return 0;
}

async function writeTable(
  shown: readonly SessionInfo[],
  { out, err }: Terminal,
  hasMore: boolean,
): Promise<void> {
  if (shown.length === 0) return err.write('No sessions. Start one: halyard run "…"\n');
  const columns = out.isTerminal ? out.columns : Number.POSITIVE_INFINITY;
  const [heading = "", ...lines] = sessionTable(shown, columns);
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const [index, line] of lines.entries())
    await out.write(`${colored(line, shown[index]?.lastOutcome, out.colors)}\n`);
  if (hasMore) await err.write(err.colors.dim("There are more: --limit shows them.\n"));
}

/** The sessions as a table with a heading. Leaves columns out if they do not fit. */
export function sessionTable(shown: readonly SessionInfo[], columns: number): string[] {
  const cells = [HEADINGS, ...shown.map(row)];
  for (let left = 0; ; left++) {
    const isShown = (heading: string) => LEAST_NEEDED.indexOf(heading) >= left || isFixed(heading);
    const headings = HEADINGS.filter(isShown);
    const kept = cells.map((line) => line.filter((_, index) => isShown(HEADINGS[index] ?? "")));
    const flexible = {
      [headings.indexOf("DIRECTORY")]: "end",
      [headings.indexOf("ABOUT")]: "start",
    } as const;
    const lines = table(kept, { columns, flexible });
    const fits = lines.every((line) => displayWidth(line) <= columns);
    if (fits || left === LEAST_NEEDED.length) return lines;
  }
}

/** The columns that a narrow terminal does without, in the order in which they are left out. */
const LEAST_NEEDED = ["DIRECTORY", "RUNTIME", "ACTIVE", "TURNS"];
const isFixed = (heading: string): boolean => !LEAST_NEEDED.includes(heading);

const HEADINGS = ["SESSION", "RUNTIME", "STATE", "ACTIVE", "TURNS", "DIRECTORY", "ABOUT"];

function row(info: SessionInfo): string[] {
  const { id, runtime, state, updatedAt, turns, lastOutcome, cwd, name, about } = info;
  const since = age(Date.now() - Date.parse(updatedAt));
  const ended = lastOutcome === undefined ? `${turns}` : `${turns} ${SIGNS[lastOutcome]}`;
  return [id, runtime, state, since, ended, tilde(cwd), name ?? about ?? ""];
}

/** How the last turn ended, as the line below a turn shows it. */
const SIGNS = { completed: "✓", failed: "✗", cancelled: "■" } as const;

/** Colors the sign of the last turn, which is the first one in the line. */
function colored(line: string, outcome: SessionInfo["lastOutcome"], colors: Colors): string {
  if (outcome === undefined) return line;
  const paint = { completed: colors.green, failed: colors.red, cancelled: colors.yellow }[outcome];
  return line.replace(SIGNS[outcome], (sign) => paint(sign));
}
