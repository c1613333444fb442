import { projectNameOf } from "../../schema/session/project-name.ts";
import { type Entry, type Group, groupOf } from "./board.ts";

/** How the board groups the sessions that are not waiting for the user. */
export const groupings = ["state", "project", "runtime", "host", "machine"] as const;
export type Grouping = (typeof groupings)[number];

/** A group on the board, with its sessions in display order. */
export interface BoardGroup {
  /** Identifies the group, such as `needs` or `runtime:codex`. */
  readonly key: string;
  readonly title: string;
  /** The full text if the title is abbreviated. */
  readonly hint?: string;
  readonly kind: Group | "other";
  readonly entries: readonly Entry[];
}

/** Arranges sessions in groups. Sessions that need the user come first in every grouping. */
export function arrange(entries: Iterable<Entry>, grouping: Grouping): BoardGroup[] {
  const byState: Record<Group, Entry[]> = { needs: [], working: [], done: [] };
  for (const entry of entries) byState[groupOf(entry.info)].push(entry);
  // Running sessions keep their position; other sessions move up when they have a new event.
  byState.working.sort(newestFirst(({ info }) => info.createdAt));
  for (const group of [byState.needs, byState.done])
    group.sort(newestFirst(({ info }) => info.updatedAt));
  const { needs, working, done } = byState;
  const first = { key: "needs", title: "Needs you", kind: "needs", entries: needs } as const;
  const rest: BoardGroup[] =
    grouping === "state"
      ? [
          { key: "working", title: "Working", kind: "working", entries: working },
          { key: "done", title: "Done", kind: "done", entries: done },
        ]
      : groupBy([...working, ...done], grouping);
  return [first, ...rest].filter((group) => group.entries.length > 0);
}

/** Compares times as strings, because the board sorts after each event and `localeCompare` is slow. */
function newestFirst(timeOf: (entry: Entry) => string): (a: Entry, b: Entry) => number {
  return (a, b) => Number(timeOf(a) < timeOf(b)) - Number(timeOf(a) > timeOf(b));
}

function groupBy(entries: readonly Entry[], grouping: Exclude<Grouping, "state">): BoardGroup[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = nameOf(entry, grouping);
    const known = groups.get(name);
    if (known) known.push(entry);
    else groups.set(name, [entry]);
  }
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, members]) => ({
      key: `${grouping}:${name}`,
      title: name.split("/").at(-1) || name,
      ...(name.includes("/") && { hint: name }),
      kind: "other",
      entries: members,
    }));
}

function nameOf({ info }: Entry, grouping: Exclude<Grouping, "state">): string {
  switch (grouping) {
    case "project":
      return projectNameOf(info);
    case "runtime":
      return info.runtime;
    case "host":
      return info.host;
    case "machine":
      return info.machine ?? "this machine";
  }
}
