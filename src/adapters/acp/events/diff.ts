/**
 * Returns a unified diff with one hunk. `before` is undefined for a new file. Returns undefined if the texts are equal.
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string,
): string | undefined {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  if (before === after) return undefined;
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - CONTEXT);
  const shown = Math.min(CONTEXT, tail);
  const hunk = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + shown).map((line) => ` ${line}`),
  ];
  const range = (lines: number) => {
    const length = lines - tail + shown - from;
    return `${length === 0 ? from : from + 1},${length}`;
  };
  const header = `@@ -${range(old.length)} +${range(now.length)} @@`;
  const file = before === undefined ? "/dev/null" : path;
  return [`--- ${file}`, `+++ ${path}`, header, ...hunk, ""].join("\n");
}

/** The number of context lines, as in `diff -u`. */
const CONTEXT = 3;

/** Splits a text into lines. If the last line has no newline, appends the same marker as `diff`. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}
