import { HalyardError } from "../../errors/error.ts";
import type { Api } from "../api/api.ts";
import type { ChangeSet } from "../api/shapes.ts";
import { parseDiff } from "../text/diff.ts";

/** A session's changes, and their source. */
export interface ReadChanges {
  readonly changes: ChangeSet;
  /**
   * `checkpoints` if Halyard recorded the changes, which can then be rewound; `reported` if they are the edits that the
   * runtime reported.
   */
  readonly source: "checkpoints" | "reported";
}

/** The maximum length of a log from which reported edits are read, in events. */
const MAX_EVENTS = 20_000;

/**
 * Reads the changes from the checkpoints. If the server returns an error, for example because the session has no
 * checkpoints, reads the edits that the runtime reported. Returns undefined if the log is too long to read them.
 */
export async function loadChanges(
  api: Api,
  { id, turnId, lastSeq }: { id: string; turnId: string | undefined; lastSeq: number },
): Promise<ReadChanges | undefined> {
  try {
    return { changes: await api.changes(id, turnId), source: "checkpoints" };
  } catch (error) {
    if (!(error instanceof HalyardError)) throw error;
    if (lastSeq > MAX_EVENTS) return undefined;
  }
  const { events } = await api.window(id, { after: 0, limit: MAX_EVENTS, types: "tool_result" });
  const diffs = events.flatMap((event) =>
    event.type === "tool_result" &&
    event.diff !== undefined &&
    (turnId === undefined || event.turnId === turnId)
      ? [event.diff]
      : [],
  );
  return { changes: toChanges(diffs.join("\n")), source: "reported" };
}

function toChanges(diff: string): ChangeSet {
  const files = new Map<string, ChangeSet["files"][number]>();
  for (const { path, insertions, deletions } of diff === "" ? [] : parseDiff(diff)) {
    const before = files.get(path) ?? {
      path,
      status: "modified" as const,
      insertions: 0,
      deletions: 0,
      binary: false,
    };
    files.set(path, {
      ...before,
      insertions: before.insertions + insertions,
      deletions: before.deletions + deletions,
    });
  }
  const all = [...files.values()];
  const sum = (key: "insertions" | "deletions") =>
    all.reduce((total, file) => total + file[key], 0);
  return {
    files: all,
    insertions: sum("insertions"),
    deletions: sum("deletions"),
    diff,
    truncated: false,
  };
}
