import { type MarkdownBlock, parseLines } from "./markdown.ts";

/**
 * Parses a Markdown text that grows at its end, as a model writes it. Parses only the last blocks again, because the
 * last line may be incomplete and can still become part of the previous block. A block that has not changed stays the
 * same object.
 */
export class GrowingMarkdown {
  #text = "";
  #blocks: readonly MarkdownBlock[] = [];
  /** Each block's offset in the text. */
  #starts: readonly number[] = [];

  parse(text: string): readonly MarkdownBlock[] {
    if (text === this.#text) return this.#blocks;
    const kept = text.startsWith(this.#text) ? Math.max(0, this.#blocks.length - OPEN) : 0;
    const from = this.#starts[kept] ?? 0;
    const lines = text.slice(from).split("\n");
    const { blocks, starts } = parseLines(lines);
    const known = this.#blocks;
    this.#blocks = [
      ...known.slice(0, kept),
      ...blocks.map((block, index) => reuse(known[kept + index], block)),
    ];
    this.#starts = [...this.#starts.slice(0, kept), ...offsets(lines, starts, from)];
    this.#text = text;
    return this.#blocks;
  }
}

/** The number of blocks at the end that more text can change. */
const OPEN = 2;

function reuse(known: MarkdownBlock | undefined, block: MarkdownBlock): MarkdownBlock {
  return known && JSON.stringify(known) === JSON.stringify(block) ? known : block;
}

/** Returns the text offset of each line in `starts`. */
function offsets(lines: readonly string[], starts: readonly number[], from: number): number[] {
  const found: number[] = [];
  let [line, offset] = [0, from];
  for (const start of starts) {
    for (; line < start; line++) offset += (lines[line]?.length ?? 0) + 1;
    found.push(offset);
  }
  return found;
}
