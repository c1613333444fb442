import { type Readable, Transform, type Writable } from "node:stream";
import { toJsonLine } from "./ndjson.ts";
import { createPartialLine } from "./partial-line.ts";

/**
 * The maximum length of a line from a client, in bytes. A message with 20 MiB of attachments fits, encoded as base64.
 */
export const LONGEST_LINE_BYTES = 32 * 1024 * 1024;

/**
 * Returns a stream with the lines of a JSON-RPC client, one chunk per line. Drops a line that is too long and writes an
 * error response to `output`, because the SDKs would otherwise close the connection.
 */
export function boundedLines(
  input: Readable,
  output: Writable,
  { maxBytes = LONGEST_LINE_BYTES } = {},
): Readable {
  const partial = createPartialLine(maxBytes);
  let head = EMPTY;
  let tail = EMPTY;

  function add(piece: Buffer): void {
    partial.add(piece);
    if (head.length < EXCERPT_BYTES)
      head = Buffer.concat([head, piece.subarray(0, EXCERPT_BYTES - head.length)]);
    tail = Buffer.concat([tail, piece.subarray(-EXCERPT_BYTES)]).subarray(-EXCERPT_BYTES);
  }

  function finish(lines: Transform): void {
    const { bytes } = partial;
    const line = partial.take();
    if (line) lines.push(Buffer.concat([line, LF]));
    else output.write(tooLong(requestId(head.toString(), tail.toString()), { bytes, maxBytes }));
    head = EMPTY;
    tail = EMPTY;
  }

  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        add(chunk.subarray(start, end));
        finish(this);
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      done();
    },
    flush(done) {
      if (partial.bytes > 0) finish(this);
      done();
    },
  });
  input.once("close", () => lines.end()).once("error", () => lines.end());
  return input.pipe(lines);
}

const EMPTY = Buffer.alloc(0);
const LF = Buffer.of(10);

/** The number of bytes at the start and the end of a line in which to search for a request's method and id. */
const EXCERPT_BYTES = 1024;

/**
 * Returns the id of a request, given only the start and the end of its line. Returns null if the line may be a response
 * or a notification.
 */
function requestId(head: string, tail: string): string | number | null {
  const isRequest = /^\s*\{(\s*"(jsonrpc|id)"\s*:\s*("[^"\\]*"|-?\d+)\s*,)*\s*"method"\s*:/.test(
    head,
  );
  if (!isRequest) return null;
  const first =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*,/;
  const last = /,\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
  const [, id] = first.exec(head) ?? last.exec(tail) ?? [];
  return id === undefined ? null : (JSON.parse(id) as string | number);
}

function tooLong(id: string | number | null, size: { bytes: number; maxBytes: number }): string {
  const message = `The message is too long: ${size.bytes} bytes. The limit is ${size.maxBytes} bytes. Send a shorter message.`;
  const error = { code: -32600, message, data: { code: "invalid_input", ...size } };
  return toJsonLine({ jsonrpc: "2.0", id, error });
}
