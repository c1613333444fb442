import { type MarkRange, markWords } from "./word-marks.ts";

/** A line in a diff, with its numbers in the old and the new file. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "hunk";
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
  /** The words that differ from the other line, if the line was replaced or is a replacement. */
  readonly marks?: readonly MarkRange[];
}

/** The changes to one file. */
export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
  readonly insertions: number;
  readonly deletions: number;
}

/** Parses a unified diff, with or without git's headers. Several diffs may follow each other. */
export function parseDiff(text: string): DiffFile[] {
  const files: { path: string; lines: DiffLine[] }[] = [];
  const hunk = { oldNumber: 0, newNumber: 0, oldLeft: 0, newLeft: 0 };
  const current = () => {
    const file = files.at(-1) ?? { path: "", lines: [] };
    if (files.length === 0) files.push(file);
    return file;
  };
  for (const line of text.split("\n")) {
    if ((hunk.oldLeft > 0 || hunk.newLeft > 0) && /^[-+ \\]|^$/.test(line)) {
      const parsed = takeLine(line, hunk);
      if (parsed) current().lines.push(parsed);
      continue;
    }
    const header = HUNK.exec(line);
    if (header) {
      const [, oldStart, oldCount = "1", newStart, newCount = "1", title = ""] = header;
      hunk.oldNumber = Number(oldStart);
      hunk.newNumber = Number(newStart);
      hunk.oldLeft = Number(oldCount);
      hunk.newLeft = Number(newCount);
      // A hunk at the start of the file hides no lines before it.
      if (hunk.oldNumber > 1) current().lines.push({ kind: "hunk", text: title.trim() });
    } else if (line.startsWith("diff --git "))
      files.push({ path: / b\/(.*)$/.exec(line)?.[1] ?? "", lines: [] });
    else if (line.startsWith("--- ")) {
      if (files.length === 0 || current().lines.length > 0)
        files.push({ path: pathIn(line), lines: [] });
    } else if (line.startsWith("+++ ")) {
      const path = pathIn(line);
      if (path !== "/dev/null") current().path = path;
    }
  }
  return files.map(({ path, lines }) => toDiffFile(lines, path));
}

/** Returns the changes to a file, with the words that differ marked. */
export function toDiffFile(lines: readonly DiffLine[], path = ""): DiffFile {
  return {
    path,
    lines: markLines(lines),
    insertions: lines.filter(({ kind }) => kind === "added").length,
    deletions: lines.filter(({ kind }) => kind === "removed").length,
  };
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/;

interface Hunk {
  oldNumber: number;
  newNumber: number;
  /** The number of lines in the hunk that have not been read yet. */
  oldLeft: number;
  newLeft: number;
}

/** Reads a line in a hunk. Returns undefined for a line that is in neither file. */
function takeLine(line: string, hunk: Hunk): DiffLine | undefined {
  const text = line.slice(1);
  if (line.startsWith("\\")) return undefined; // the marker for a missing newline at the end of the file
  if (line.startsWith("+")) {
    hunk.newLeft--;
    return { kind: "added", text, newNumber: hunk.newNumber++ };
  }
  hunk.oldLeft--;
  if (line.startsWith("-")) return { kind: "removed", text, oldNumber: hunk.oldNumber++ };
  hunk.newLeft--;
  return { kind: "same", text, oldNumber: hunk.oldNumber++, newNumber: hunk.newNumber++ };
}

function pathIn(header: string): string {
  return (
    header
      .slice(4)
      .split("\t")[0]
      ?.replace(/^[ab]\//, "")
      .trim() ?? ""
  );
}

/** Marks the words that differ, where the same number of lines was removed and added. */
function markLines(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let at = 0;
  while (at < marked.length) {
    const removed = countOf(marked, at, "removed");
    const added = countOf(marked, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let offset = 0; offset < removed; offset++) {
        const [before, after] = [marked[at + offset], marked[at + removed + offset]];
        if (!before || !after) continue;
        const marks = markWords(before.text, after.text);
        if (!marks) continue;
        marked[at + offset] = { ...before, marks: marks[0] };
        marked[at + removed + offset] = { ...after, marks: marks[1] };
      }
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

function countOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let count = 0;
  while (lines[from + count]?.kind === kind) count++;
  return count;
}
