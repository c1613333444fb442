import { isAscii, isUtf8 } from "node:buffer";
import { createPartialLine } from "./partial-line.ts";

/** A line of text, or a report about a line over the limit. */
export type Line = TextLine | TooLongLine;

/** A decoded line without its line break. */
export interface TextLine {
  readonly kind: "text";
  readonly text: string;
  /**
   * The byte offset after the line and its LF, if any. A splitter that starts at this offset returns the following
   * lines.
   */
  readonly end: number;
  /** Set if bytes could not be decoded. They are replaced with U+FFFD in `text`. */
  readonly invalidUtf8?: true;
}

interface TooLongLine {
  readonly kind: "too-long";
  readonly bytes: number;
  readonly end: number;
}

/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  /** Returns the lines that end in this chunk. The caller may reuse the chunk's memory afterward. */
  push(chunk: Uint8Array): Line[];
  /** Returns the line after the last LF, if it is not empty. */
  end(): Line[];
}

/** Options of `createLineSplitter`. */
export interface LineSplitterOptions {
  /** The byte offset of the first chunk in the stream. Defaults to 0. */
  readonly from?: number;
  /** The maximum length of a line in bytes. A longer line is reported as `too-long` and discarded. Defaults to 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Creates a splitter that splits bytes into lines at LF only, and removes a CR before the LF. `node:readline` also splits
 * at U+2028 and lone CRs, but native messages may contain them.
 */
export function createLineSplitter(options: LineSplitterOptions = {}): LineSplitter {
  const { from = 0, maxBytes = 64 * 1024 * 1024 } = options;
  const partial = createPartialLine(maxBytes);
  let end = from;

  function pushSpan(span: Buffer, lines: Line[]): void {
    const whole = span.at(-1) === LF ? span.length : span.lastIndexOf(LF) + 1;
    if (whole === 0) {
      partial.add(span);
      return;
    }
    let start = 0;
    if (partial.bytes > 0) {
      start = span.indexOf(LF) + 1;
      partial.add(span.subarray(0, start - 1));
      end += partial.bytes + 1;
      lines.push(finishPartial(true));
    }
    cutWholeLines(cut(span, start, whole), end, maxBytes, lines);
    end += whole - start;
    if (whole < span.length) partial.add(span.subarray(whole));
  }

  function finishPartial(terminated: boolean): Line {
    const { bytes } = partial;
    const line = partial.take();
    if (line === undefined) return { kind: "too-long", bytes, end };
    const text = line.toString("utf8");
    return textLine(terminated ? withoutCr(text) : text, end, isUtf8(line));
  }

  return {
    push(chunk) {
      const lines: Line[] = [];
      const bytes = Buffer.isBuffer(chunk)
        ? chunk
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = 0; at < bytes.length; at += SPAN_BYTES)
        pushSpan(cut(bytes, at, at + SPAN_BYTES), lines);
      return lines;
    },
    end() {
      if (partial.bytes === 0) return [];
      end += partial.bytes;
      return [finishPartial(false)];
    },
  };
}

/**
 * Returns a range of a buffer, or the buffer itself if possible. Most chunks are one line, and creating a view would
 * take as long as decoding the line.
 */
function cut(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end >= bytes.length ? bytes : bytes.subarray(start, end);
}

const LF = 10;
const CR = 13;

/** The maximum number of bytes that are decoded in one step. The lines of a span share the memory of its string. */
const SPAN_BYTES = 1024 * 1024;

/**
 * Hot path: decodes many lines in one step. In latin1 each character is one byte, so the latin1 copy has the byte
 * offsets. For ASCII, the most common case, this copy is also the text. No UTF-8 sequence, valid or not, contains an LF,
 * so both copies have the same lines.
 */
function cutWholeLines(span: Buffer, from: number, maxBytes: number, lines: Line[]): void {
  const ascii = isAscii(span);
  const raw = span.toString("latin1");
  const decoded = ascii ? raw : span.toString("utf8");
  const valid = ascii || isUtf8(span);
  let rawStart = 0;
  let start = 0;
  while (rawStart < raw.length) {
    const rawEnd = raw.indexOf("\n", rawStart);
    const stop = ascii ? rawEnd : decoded.indexOf("\n", start);
    const end = from + rawEnd + 1;
    if (rawEnd - rawStart > maxBytes) {
      lines.push({ kind: "too-long", bytes: rawEnd - rawStart, end });
    } else {
      const text = withoutCr(decoded.slice(start, stop));
      lines.push(textLine(text, end, valid || isUtf8(span.subarray(rawStart, rawEnd))));
    }
    rawStart = rawEnd + 1;
    start = stop + 1;
  }
}

function textLine(text: string, end: number, valid: boolean): TextLine {
  return valid ? { kind: "text", text, end } : { kind: "text", text, end, invalidUtf8: true };
}

function withoutCr(text: string): string {
  return text.charCodeAt(text.length - 1) === CR ? text.slice(0, -1) : text;
}
