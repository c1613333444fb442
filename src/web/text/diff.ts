/** A line of a diff, with its numbers in the old and the new file. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "hunk";
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
  /** The part that differs from the line that it replaces, or that replaces it: start and end. */
  readonly mark?: readonly [number, number];
}

/** The changes of one file. */
export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
  readonly insertions: number;
  readonly deletions: number;
}

/** Parses a unified diff, with or without the headers of git. Several diffs may follow each other. */
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
      current().lines.push({ kind: "hunk", text: title.trim() });
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
  return files.map(({ path, lines }) => ({
    path,
    lines: markWords(lines),
    insertions: lines.filter(({ kind }) => kind === "added").length,
    deletions: lines.filter(({ kind }) => kind === "removed").length,
  }));
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/;

interface Hunk {
  oldNumber: number;
  newNumber: number;
  /** Lines of the hunk that have not been read yet. */
  oldLeft: number;
  newLeft: number;
}

/** Reads a line of a hunk. Returns undefined for a line that is in neither file. */
function takeLine(line: string, hunk: Hunk): DiffLine | undefined {
  const text = line.slice(1);
  if (line.startsWith("\\")) return undefined; // no newline at the end of the file
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

/** Marks the different part of lines where as many were removed as were added. */
function markWords(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let at = 0;
  while (at < marked.length) {
    const removed = countOf(marked, at, "removed");
    const added = countOf(marked, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let offset = 0; offset < removed; offset++) {
        const [before, after] = [marked[at + offset], marked[at + removed + offset]];
        if (!before || !after) continue;
        const marks = differingPart(before.text, after.text);
        if (!marks) continue;
        marked[at + offset] = { ...before, mark: marks[0] };
        marked[at + removed + offset] = { ...after, mark: marks[1] };
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

type Range = readonly [number, number];

/** Returns the parts between the common start and the common end, or undefined if the lines have little in common. */
function differingPart(a: string, b: string): readonly [Range, Range] | undefined {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if ((start + end) * 3 < Math.max(a.length, b.length)) return undefined;
  return [
    [start, a.length - end],
    [start, b.length - end],
  ];
}
