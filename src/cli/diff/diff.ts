import { findSession } from "../../halyard/find-session.ts";
import type { Changes, FileChange } from "../../schema/workspace/checkpoint.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { diffLines } from "../output/input-lines.ts";
import { cleanText, visibleText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { plural } from "../text/format.ts";
import { showInPager } from "./pager.ts";

export interface DiffOptions {
  readonly turn?: string;
  readonly from?: string;
  readonly to?: string;
  readonly agentOnly?: boolean;
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
  readonly pager: boolean;
  readonly format: "text" | "json";
}

export async function diff(session: string, options: DiffOptions): Promise<number> {
  const console = openConsole();
  const { turn, from, to, format } = options;
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const { id } = await findSession(halyard, session);
  const changes = await halyard.changes(id, {
    ...(turn !== undefined && { turnId: turn }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(options.agentOnly && { by: "agent" }),
  });
  const { out } = console;
  if (format === "json") {
    await out.write(`${JSON.stringify(changes)}\n`);
    return 0;
  }
  const isPatch = !out.isTTY && !options.stat && !options.nameOnly; // a pipe receives a patch for "git apply"
  const lines = describe(changes, options, out.colors).map((line) => `${line}\n`);
  const text = isPatch ? changes.diff : lines.join("");
  const isPaged = options.pager && out.isTTY && text !== "";
  if (!(isPaged && (await showInPager(text, console.env)))) await out.write(text);
  if (out.isTTY && changes.files.length === 0) await console.err.write("No changes.\n");
  if (changes.truncated && !options.stat && !options.nameOnly)
    await console.err.write("The diff is truncated. Run with --stat to list all files.\n");
  throwIfUnwritable(console);
  return 0;
}

function describe(changes: Changes, { stat, nameOnly }: DiffOptions, colors: Colors): string[] {
  if (nameOnly) return changes.files.map(({ path }) => quoteName(path));
  if (stat) return statLines(changes, colors);
  return diffLines(cleanText(changes.diff), colors);
}

/** Returns lines in the format of `git diff --stat`: one per file, and a summary. */
function statLines(changes: Changes, colors: Colors): string[] {
  if (changes.files.length === 0) return [];
  const names = changes.files.map(nameOf);
  const width = Math.max(...names.map(({ length }) => length));
  const most = Math.max(...changes.files.map(linesOf));
  const scale = Math.min(1, BAR / Math.max(1, most));
  const lines = changes.files.map((file, index) => {
    const name = (names[index] ?? "").padEnd(width);
    if (file.binary) return ` ${name} | binary`;
    const count = String(linesOf(file)).padStart(String(most).length);
    const plus = colors.green("+".repeat(Math.ceil(file.insertions * scale)));
    const minus = colors.red("-".repeat(Math.ceil(file.deletions * scale)));
    return ` ${name} | ${count} ${plus}${minus}`;
  });
  return [...lines, ` ${summaryOf(changes)}`];
}

const BAR = 40;
const linesOf = ({ insertions, deletions }: FileChange): number => insertions + deletions;
const nameOf = ({ path, from }: FileChange): string =>
  from === undefined ? quoteName(path) : `${quoteName(from)} => ${quoteName(path)}`;

/**
 * Quotes a name with control characters, quotes or backslashes, so that it cannot be mistaken for another name or for
 * two names.
 */
function quoteName(path: string): string {
  const quoted = visibleText(JSON.stringify(path));
  return quoted === `"${path}"` ? path : quoted;
}

/** Returns the number of changed files and lines, as `git diff --stat` prints them. */
export function summaryOf({
  files,
  insertions,
  deletions,
}: {
  readonly files: number | readonly unknown[];
  readonly insertions: number;
  readonly deletions: number;
}): string {
  const count = typeof files === "number" ? files : files.length;
  const parts = [
    ...(insertions > 0 || deletions === 0 ? [`${plural(insertions, "insertion")}(+)`] : []),
    ...(deletions > 0 || insertions === 0 ? [`${plural(deletions, "deletion")}(-)`] : []),
  ];
  return `${plural(count, "file")} changed, ${parts.join(", ")}`;
}
