import { findReplacement, isDiffField } from "../../schema/tool-edit.ts";
import { type DiffFile, type DiffLine, parseDiff, toDiffFile } from "./diff.ts";

/** The change that an edit tool's input describes. */
export interface InputDiff {
  readonly files: readonly DiffFile[];
  /** The input fields that the diff shows. */
  readonly names: readonly string[];
}

/** Returns the change that an edit tool's input describes, or undefined if its format is unknown. */
export function editDiff(input: object): InputDiff | undefined {
  const replacement = findReplacement(input);
  if (replacement) return { files: [toDiffFile(linesOf(replacement))], names: replacement.names };
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === "string" && isDiffField(name, value)) {
      const files = parseDiff(value).filter(({ lines }) => lines.length > 0);
      if (files.length > 0) return { files, names: [name] };
    }
    if (name === "content" && typeof value === "string")
      return { files: [toDiffFile(linesOf({ before: "", after: value }))], names: [name] };
    if (name === "edits" && Array.isArray(value)) {
      const found = value.map((edit) => (isObject(edit) ? findReplacement(edit) : undefined));
      const edits = found.filter((edit) => edit !== undefined);
      if (edits.length > 0 && edits.length === found.length) {
        const lines = edits.map((edit, index) => [
          ...(index === 0 ? [] : [{ kind: "hunk", text: "" } as const]),
          ...linesOf(edit),
        ]);
        return { files: [toDiffFile(lines.flat())], names: [name] };
      }
    }
  }
  return undefined;
}

/** Returns the lines for a replacement: equal lines at the start and the end once, the others as removed and added. */
function linesOf({ before, after }: { before: string; after: string }): DiffLine[] {
  const [removed, added] = [splitLines(before), splitLines(after)];
  const shared = (from: number, at: (lines: string[], index: number) => string | undefined) => {
    let count = 0;
    const most = Math.min(removed.length, added.length) - from;
    while (count < most && at(removed, count) === at(added, count)) count++;
    return count;
  };
  const first = shared(0, (lines, index) => lines[index]);
  const last = shared(first, (lines, index) => lines[lines.length - 1 - index]);
  const toLines = (kind: DiffLine["kind"], lines: readonly string[]) =>
    lines.map((text) => ({ kind, text }));
  return [
    ...toLines("same", added.slice(0, first)),
    ...toLines("removed", removed.slice(first, removed.length - last)),
    ...toLines("added", added.slice(first, added.length - last)),
    ...toLines("same", added.slice(added.length - last)),
  ];
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split("\n");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
