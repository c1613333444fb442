import { createLineSplitter, type Line, type LineSplitterOptions } from "./lines.ts";

export type NdjsonItem = NdjsonMessage | NdjsonGarbage;

export interface NdjsonMessage {
  readonly kind: "message";
  readonly value: unknown;
  /** The byte just after the line: a reader started `from` here gives the items that follow. */
  readonly end: number;
  /** What could not be decoded stands in the value as U+FFFD. */
  readonly invalidUtf8?: true;
}

export interface NdjsonGarbage {
  readonly kind: "garbage";
  /** The beginning of the line; empty when the line was too long to keep. */
  readonly text: string;
  readonly reason: string;
  readonly end: number;
}

export interface NdjsonReader {
  push(chunk: Uint8Array): NdjsonItem[];
  end(): NdjsonItem[];
}

/** One JSON value per line. Never throws: programs print banners and stack traces among their messages. */
export function createNdjsonReader(options: LineSplitterOptions = {}): NdjsonReader {
  const splitter = createLineSplitter(options);
  return {
    push: (chunk) => toItems(splitter.push(chunk)),
    end: () => toItems(splitter.end()),
  };
}

export function toJsonLine(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`JSON has no word for ${typeof value}`);
  return `${json}\n`;
}

function toItems(lines: Line[]): NdjsonItem[] {
  const items: NdjsonItem[] = [];
  for (const line of lines) {
    if (line.kind === "too-long") items.push(tooLong(line.bytes, line.end));
    else if (!isBlank(line.text)) items.push(parse(line.text, line.end, line.invalidUtf8));
  }
  return items;
}

function parse(text: string, end: number, invalidUtf8: true | undefined): NdjsonItem {
  try {
    const value: unknown = JSON.parse(text);
    return invalidUtf8 ? { kind: "message", value, end, invalidUtf8 } : { kind: "message", value, end };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "garbage", text: text.slice(0, EXCERPT_LENGTH), reason, end };
  }
}

const EXCERPT_LENGTH = 1000;

function tooLong(bytes: number, end: number): NdjsonGarbage {
  return { kind: "garbage", text: "", reason: `the line is too long (${bytes} bytes)`, end };
}

/** Looks at the first character before it looks at all of them: almost no line is blank. */
function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== OPENING_BRACE && text.trim() === "";
}

const OPENING_BRACE = 123;
