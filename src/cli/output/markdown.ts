import type { Colors } from "../text/colors.ts";
import { displayWidth, pad } from "../text/display-width.ts";
import { wrapWords } from "../text/wrap-words.ts";

export interface MarkdownStyle {
  readonly colors: Colors;
  readonly columns: () => number;
}

/**
 * Renders Markdown for a console line by line as it streams: headings, lists, quotes, code and tables. Markdown
 * libraries need the whole text, so they cannot be used.
 */
export class MarkdownStream {
  readonly #style: MarkdownStyle;
  /** The last line, if it is unfinished. */
  #line = "";
  #table: string[] = [];
  #fence: string | undefined;

  constructor(style: MarkdownStyle) {
    this.#style = style;
  }

  /** Adds a piece of text and returns the complete lines. Keeps the rows of a table until the table ends. */
  push(piece: string): string {
    const [first = "", ...rest] = `${this.#line}${piece}`.split("\n").reverse();
    this.#line = first;
    return rest
      .reverse()
      .flatMap((line) => this.#take(line))
      .map(endLine)
      .join("");
  }

  /** Returns the remaining text without a trailing line break. */
  flush(): string {
    const rest = this.#line === "" ? [] : this.#take(this.#line);
    this.#line = "";
    return [...rest, ...this.#endTable()].join("\n");
  }

  #take(line: string): string[] {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence) && line.trim() === fence) this.#fence = undefined;
      else return [this.#style.colors.cyan(`  ${line}`)];
      return [];
    }
    if (/^\s*\|.*\|\s*$/.test(line)) {
      this.#table.push(line);
      return [];
    }
    const table = this.#endTable();
    if (fence === undefined) return [...table, ...this.#plain(line)];
    this.#fence = fence;
    const language = line.trim().slice(fence.length).trim();
    return [...table, ...(language === "" ? [] : [this.#style.colors.dim(`  ${language}`)])];
  }

  #plain(line: string): string[] {
    const { colors } = this.#style;
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (heading !== undefined) return this.#wrap(colors.bold(colors.underline(strip(heading))), "");
    if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [colors.dim("─".repeat(this.#columns))];
    const [, quote] = /^\s*>\s?(.*)$/.exec(line) ?? [];
    if (quote !== undefined)
      return this.#wrap(colors.dim(inline(quote, colors)), "", colors.dim("│ "));
    const [, margin = "", mark = "", item] = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
    if (item === undefined) return this.#wrap(inline(line, colors), /^\s*/.exec(line)?.[0] ?? "");
    const bullet = /\d/.test(mark) ? mark : "•";
    const task = item.replace(/^\[([ xX])\] /, (_, done) => (done === " " ? "☐ " : "☑ "));
    const hang = " ".repeat(margin.length + bullet.length + 1);
    return this.#wrap(`${margin}${colors.cyan(bullet)} ${inline(task, colors)}`, hang);
  }

  #endTable(): string[] {
    const rows = this.#table.map(cellsOf);
    this.#table = [];
    const [head = [], rule, ...body] = rows;
    const isRule = rule?.every((cell) => /^:?-+:?$/.test(cell)) ?? false;
    if (rows.length === 0) return [];
    return isRule ? this.#alignTable([head, ...body], rule) : this.#alignTable(rows);
  }

  /**
   * Formats a table with aligned columns, or with one line per cell if the columns do not fit. A cell of `rule` with
   * a colon only at its end aligns its column to the right.
   */
  #alignTable(rows: readonly (readonly string[])[], rule: readonly string[] = []): string[] {
    const { colors } = this.#style;
    const [head = [], ...body] = rows.map((row) => row.map((cell) => inline(cell, colors)));
    const widths = head.map((_, column) =>
      Math.max(...[head, ...body].map((row) => displayWidth(row[column] ?? ""))),
    );
    const total = widths.reduce((sum, width) => sum + width + 3, -3);
    if (total > this.#columns)
      return body.flatMap((row) => [
        ...row.flatMap((cell, column) =>
          this.#wrap(`${colors.bold(head[column] ?? "")}: ${cell}`, "  "),
        ),
        "",
      ]);
    const line = (row: readonly string[]) =>
      widths
        .map((width, column) => align(row[column] ?? "", width, rule[column]))
        .join(colors.dim(" │ "))
        .trimEnd();
    const border = widths.map((width) => "─".repeat(width)).join("─┼─");
    return [colors.bold(line(head)), colors.dim(border), ...body.map(line)];
  }

  /** Wraps a line between words. All lines begin with `margin`, and lines after the first also with `hang`. */
  #wrap(text: string, hang: string, margin = ""): string[] {
    const width = this.#columns - displayWidth(margin);
    return wrapWords(text, width, hang).map((line) => `${margin}${line}`);
  }

  get #columns(): number {
    return Math.max(20, this.#style.columns());
  }
}

const endLine = (line: string): string => `${line}\n`;

function align(cell: string, width: number, rule = ""): string {
  if (!/-:$/.test(rule) || rule.startsWith(":")) return pad(cell, width);
  return `${" ".repeat(width - displayWidth(cell))}${cell}`;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Renders inline markup, except in code. */
function inline(text: string, colors: Colors): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part) => (part.startsWith("`") ? code(part, colors) : marks(part, colors)))
    .join("");
}

function code(part: string, colors: Colors): string {
  const content = part.replace(/^`+ ?| ?`+$/g, "");
  return content === "" ? part : colors.cyan(content);
}

function marks(text: string, { bold, italic, strikethrough, underline, dim }: Colors): string {
  return text
    .replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, (_, content) => bold(content))
    .replace(/(?<![\p{L}\p{N}_])__(?=\S)(.+?)(?<=\S)__(?![\p{L}\p{N}_])/gu, (_, content) =>
      bold(content),
    )
    .replace(
      /(?<![*\p{L}\p{N}])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![*\p{L}\p{N}])/gu,
      (_, content) => italic(content),
    )
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, (_, content) =>
      italic(content),
    )
    .replace(/~~(?=\S)(.+?)(?<=\S)~~/g, (_, content) => strikethrough(content))
    .replace(/!?\[([^\]]+)\]\(([^)\s]+)[^)]*\)/g, (_, content, url) =>
      content === url ? underline(url) : `${underline(content)} ${dim(`(${url})`)}`,
    );
}

/** Removes inline markup from a heading, because the end of the markup would also end the heading's bold style. */
function strip(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, "");
}
