/** A block in a Markdown text. */
export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly kind: "list";
      readonly start: number | undefined;
      readonly items: readonly ListItem[];
    }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "rule" };

/** A list item. `isChecked` is set for a task. */
export interface ListItem {
  readonly blocks: readonly MarkdownBlock[];
  readonly isChecked?: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const BULLET = /^( *)([-*+]|\d{1,9}[.)])\s+(?=\S)/;
const DIVIDER = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

/** Parses the blocks of a Markdown text. Never fails: text that is not Markdown becomes a paragraph. */
export function parseBlocks(text: string): MarkdownBlock[] {
  return parseLines(text.split("\n")).blocks;
}

/** Parses lines. `starts` contains the index of each block's first line. */
export function parseLines(
  lines: readonly string[],
  depth = 0,
): { blocks: MarkdownBlock[]; starts: number[] } {
  const blocks: MarkdownBlock[] = [];
  const starts: number[] = [];
  let at = 0;
  while (at < lines.length) {
    starts[blocks.length] = at; // a blank line adds no block, so the next line replaces its index
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      const [, mark = "", language = ""] = fence;
      const end = findIndex(lines, at + 1, (one) => one.trim().startsWith(mark));
      blocks.push({ kind: "code", language, text: lines.slice(at + 1, end).join("\n") });
      at = end + 1;
    } else if (heading) {
      const [, marks = "", words = ""] = heading;
      blocks.push({ kind: "heading", level: marks.length, text: words });
      at++;
    } else if (RULE.test(line)) {
      blocks.push({ kind: "rule" });
      at++;
    } else if (/^ {0,3}>/.test(line) && depth < MAX_DEPTH) {
      const end = findIndex(lines, at, (one) => !/^ {0,3}>/.test(one));
      const inner = lines.slice(at, end).map((one) => one.replace(/^ {0,3}> ?/, ""));
      blocks.push({ kind: "quote", blocks: parseLines(inner, depth + 1).blocks });
      at = end;
    } else if (BULLET.test(line) && depth < MAX_DEPTH) {
      const end = endOfList(lines, at);
      blocks.push(parseList(lines.slice(at, end), depth));
      at = end;
    } else if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) {
      const end = findIndex(lines, at + 2, (one) => !one.includes("|"));
      const rows = [line, ...lines.slice(at + 2, end)].map(cellsOf);
      blocks.push({ kind: "table", rows });
      at = end;
    } else {
      const end = findIndex(lines, at + 1, startsBlock);
      blocks.push({ kind: "paragraph", text: lines.slice(at, end).join("\n") });
      at = end;
    }
  }
  return { blocks, starts: starts.slice(0, blocks.length) };
}

/** The maximum nesting depth. Deeper levels are shown as text, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 8;

function startsBlock(line: string): boolean {
  return (
    line.trim() === "" ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    /^ {0,3}>/.test(line) ||
    BULLET.test(line)
  );
}

function findIndex(lines: readonly string[], from: number, is: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at++) if (is(lines[at] ?? "")) return at;
  return lines.length;
}

/**
 * Returns the end of a list. A list ends at another block, or after a blank line at a line that is neither an item nor
 * indented.
 */
function endOfList(lines: readonly string[], from: number): number {
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      const next = lines[at + 1] ?? "";
      if (!BULLET.test(next) && !/^ {2,}\S/.test(next)) return at;
    } else if (!BULLET.test(line) && !/^ /.test(line) && startsBlock(line)) return at;
  }
  return lines.length;
}

function parseList(lines: readonly string[], depth: number): MarkdownBlock {
  const [, indent = "", mark = ""] = BULLET.exec(lines[0] ?? "") ?? [];
  const items: string[][] = [];
  for (const line of lines) {
    const bullet = BULLET.exec(line);
    if (bullet && (bullet[1] ?? "").length <= indent.length + 1)
      items.push([line.slice(bullet[0].length)]);
    else items.at(-1)?.push(line.replace(/^ {1,4}/, ""));
  }
  const start = /^\d/.test(mark) ? Number.parseInt(mark, 10) : undefined;
  return { kind: "list", start, items: items.map((item) => parseItem(item, depth)) };
}

function parseItem([first = "", ...rest]: readonly string[], depth: number): ListItem {
  const task = /^\[([ xX])\]\s+/.exec(first);
  const { blocks } = parseLines([task ? first.slice(task[0].length) : first, ...rest], depth + 1);
  return { blocks, ...(task && { isChecked: task[1] !== " " }) };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
