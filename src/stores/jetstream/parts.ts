import type { SessionId } from "../../schema/id.ts";
import type { BlockRow } from "../block-row.ts";
import type { PartedRow, WrittenRow } from "./log-message.ts";
import type { LogStream } from "./log-stream.ts";

/**
 * If the rows are too large for one message, publishes their events in parts on the session's part subject, and returns
 * rows that refer to the parts. Otherwise, returns the rows unchanged. If the message with these rows is never published,
 * its parts stay invisible and are deleted with the session.
 */
export async function splitRows(
  stream: LogStream,
  id: SessionId,
  writeId: string,
  rows: readonly BlockRow[],
): Promise<WrittenRow[]> {
  const size = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  if (size <= stream.maxPayload) return [...rows];
  const written: PartedRow[] = [];
  for (const [index, { body, ...row }] of rows.entries())
    written.push({ ...row, parts: await publishParts(stream, id, `${writeId}.${index}`, body) });
  return written;
}

async function publishParts(
  stream: LogStream,
  id: SessionId,
  name: string,
  body: string,
): Promise<number[]> {
  const bytes = Buffer.from(body);
  const subject = stream.names.part(id);
  const parts: number[] = [];
  for (let at = 0; at < bytes.length; at += stream.maxPayload) {
    const payload = bytes.subarray(at, at + stream.maxPayload);
    const id = `${name}.${at}`;
    parts.push((await stream.publish({ subject, id, encode: () => payload })).seq);
  }
  return parts;
}
