import { resolve } from "node:path";
import { homeDirectory } from "../../config/paths.ts";
import { canonicalName } from "../../schema/runtimes/built-in-runtimes.ts";
import type { SessionState } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import type { Colors } from "../text/colors.ts";
import { displayWidth } from "../text/display-width.ts";
import { abbreviateHome, formatAge, formatTime } from "../text/format.ts";
import { table } from "../text/table.ts";

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
  const console = openConsole();
  const unreachable: UnreachableHost[] = [];
  const onUnreachable = (host: string, reason: string) => void unreachable.push({ host, reason });
  const listing = { hosts: true, ...(format === "text" && { onUnreachable }) };
  await using halyard = await openDaemonOrLocal(console, listing);
  const filter = {
    ...(state && { states: [state] }),
    ...(labels && { labels }),
    ...(runtime !== undefined && { runtime: canonicalName(runtime) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  };
  const found = await halyard.sessions({ limit: limit + 1, ...filter });
  const shown = found.slice(0, limit);
  if (found.length === 0 && runtime !== undefined) await requireKnownRuntime(runtime, console);
  if (format === "json")
    for (const info of shown) await console.out.write(`${JSON.stringify(info)}\n`);
  else if (found.length === 0 && unreachable.length === 0)
    await console.err.write(none(Object.keys(filter).length > 0));
  else await writeTable(shown, unreachable, console, found.length > limit);
  throwIfUnwritable(console);
  return 0;
}

/** Rejects an unknown runtime. Called only if the list is empty, because this check loads the configuration. */
async function requireKnownRuntime(runtime: string, { env }: Console): Promise<void> {
  const { loadConfig } = await import("../../config/load.ts");
  const { requireRuntime } = await import("../known-runtime.ts");
  const config = await loadConfig({ env, cwd: process.cwd(), home: homeDirectory(env) });
  await requireRuntime(runtime, config, env);
}

function none(isFiltered: boolean): string {
  return isFiltered
    ? 'No session matches. Run "halyard sessions" to list all sessions.\n'
    : 'No sessions. Run "halyard run PROMPT" to start one.\n';
}

/** A machine that "halyard host" lists and that does not respond. */
interface UnreachableHost {
  readonly host: string;
  readonly reason: string;
}

async function writeTable(
  shown: readonly SessionInfo[],
  unreachable: readonly UnreachableHost[],
  { out, err }: Console,
  hasMore: boolean,
): Promise<void> {
  const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
  const [heading = "", ...lines] = sessionTable(shown, columns, unreachable);
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const [index, line] of lines.entries())
    await out.write(`${colored(line, shown[index]?.lastOutcome, out.colors)}\n`);
  if (hasMore)
    await err.write(err.colors.dim("There are more sessions. Use --limit to show them.\n"));
}

/** Formats sessions, and hosts that do not respond, as a table with a heading. Omits columns that do not fit. */
export function sessionTable(
  shown: readonly SessionInfo[],
  columns: number,
  unreachable: readonly UnreachableHost[] = [],
): string[] {
  const cells = [HEADINGS, ...shown.map(row), ...unreachable.map(hostRow)];
  const hasMachines = unreachable.length > 0 || shown.some(({ machine }) => machine !== undefined);
  for (let left = 0; ; left++) {
    const isShown = (heading: string) =>
      (heading !== "MACHINE" || hasMachines) &&
      (OPTIONAL.indexOf(heading) >= left || isFixed(heading));
    const headings = HEADINGS.filter(isShown);
    const kept = cells.map((line) => line.filter((_, index) => isShown(HEADINGS[index] ?? "")));
    const flexible = {
      [headings.indexOf("DIRECTORY")]: "end",
      [headings.indexOf("ABOUT")]: "start",
    } as const;
    const lines = table(kept, { columns, flexible });
    const fits = lines.every((line) => displayWidth(line) <= columns);
    if (fits || left === OPTIONAL.length) return lines;
  }
}

/** The columns to omit on a narrow console, in this order. */
const OPTIONAL = ["DIRECTORY", "RUNTIME", "ACTIVE", "TURNS"];
const isFixed = (heading: string): boolean => !OPTIONAL.includes(heading);

const HEADINGS = [
  "SESSION",
  "RUNTIME",
  "MACHINE",
  "STATE",
  "ACTIVE",
  "TURNS",
  "DIRECTORY",
  "ABOUT",
];

function row(info: SessionInfo): string[] {
  const {
    id,
    runtime,
    machine = "",
    updatedAt,
    turns,
    lastOutcome,
    cwd,
    name,
    about: summary,
  } = info;
  const since = formatAge(Date.now() - Date.parse(updatedAt));
  const ended = lastOutcome === undefined ? `${turns}` : `${turns} ${SIGNS[lastOutcome]}`;
  const about = name ?? summary ?? "";
  return [id, runtime, machine, stateOf(info), since, ended, abbreviateHome(cwd), about];
}

/** Returns one row for all sessions of a host that does not respond, because its sessions are unknown. */
function hostRow({ host, reason }: UnreachableHost): string[] {
  return ["-", "", host, "unreachable", "", "", "", reason.replaceAll(/\s+/g, " ")];
}

/** Describes the state of a session, including the time until which it waits for a usage limit. */
function stateOf({ state, waiting, unreachable }: SessionInfo): string {
  if (unreachable) return "unreachable";
  return waiting?.until === undefined ? state : `${state} until ${formatTime(waiting.until)}`;
}

/** The signs for the outcome of the last turn, as in the summary of a turn. */
const SIGNS = { completed: "✓", failed: "✗", cancelled: "■" } as const;

/** Colors the sign for the last turn's outcome, which is the first such sign in the line. */
function colored(line: string, outcome: SessionInfo["lastOutcome"], colors: Colors): string {
  if (outcome === undefined) return line;
  const paint = { completed: colors.green, failed: colors.red, cancelled: colors.yellow }[outcome];
  return line.replace(SIGNS[outcome], (sign) => paint(sign));
}
