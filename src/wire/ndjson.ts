import { isTooDeep } from "./depth.ts";
import { createLineSplitter, type Line, type LineSplitterOptions, type TextLine } from "./lines.ts";

/** The value of a line, or a line without a usable JSON value. */
export type NdjsonItem = NdjsonMessage | NdjsonGarbage;

interface NdjsonMessage {
  readonly kind: "message";
  readonly value: unknown;
  /** The byte offset after the line. A reader that starts at this offset returns the following items. */
  readonly end: number;
  /** Set if bytes could not be decoded. They are replaced with U+FFFD in the value. */
  readonly invalidUtf8?: true;
}

interface NdjsonGarbage {
  readonly kind: "garbage";
  /** The start of the line. Empty if the line was too long or nested too deeply. */
  readonly text: string;
  readonly reason: string;
  readonly end: number;
}

/** Parses a stream of bytes as one JSON value per line. */
export interface NdjsonReader {
  push(chunk: Uint8Array): NdjsonItem[];
  end(): NdjsonItem[];
}

/**
 * Creates a reader that parses one JSON value per line. The reader never throws, because programs print banners and stack
 * traces between their messages.
 */
export function createNdjsonReader(options: LineSplitterOptions = {}): NdjsonReader {
  const splitter = createLineSplitter(options);
  return {
    push: (chunk) => toItems(splitter.push(chunk)),
    end: () => toItems(splitter.end()),
  };
}

/** Returns a value as one line of JSON, including the LF. Throws if JSON cannot represent the value. */
export function toJsonLine(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined)
    throw new TypeError(`JSON cannot represent a value of type ${typeof value}`);
  return `${json}\n`;
}

function toItems(lines: Line[]): NdjsonItem[] {
  const items: NdjsonItem[] = [];
  for (const line of lines) {
    if (line.kind === "too-long") items.push(tooLong(line));
    else if (line.text.trim() !== "") items.push(parse(line));
  }
  return items;
}

function parse({ text, end, invalidUtf8 }: TextLine): NdjsonItem {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value, text)) return leftOut("the line is nested too deeply", end);
    return invalidUtf8
      ? { kind: "message", value, end, invalidUtf8 }
      : { kind: "message", value, end };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "garbage", text: excerpt(text), reason, end };
  }
}

/** Returns the start of a text as a copy, because a slice would keep the whole line in memory. */
function excerpt(text: string): string {
  return Buffer.from(text.slice(0, EXCERPT_LENGTH)).toString("utf8");
}

const EXCERPT_LENGTH = 1000;

function tooLong({ bytes, end }: { bytes: number; end: number }): NdjsonGarbage {
  return leftOut(`the line is too long (${bytes} bytes)`, end);
}

function leftOut(reason: string, end: number): NdjsonGarbage {
  return { kind: "garbage", text: "", reason, end };
}
