import type { StreamEvent } from "../../schema/event.ts";
import { DamagedBlockError, withEnvelope } from "../block-row.ts";
import {
  type EventRow,
  type LogHeader,
  type PartedRow,
  readHeader,
  readPayload,
  recordIn,
} from "./log-message.ts";
import type { LogStream } from "./log-stream.ts";
import type { LogMessage } from "./messages.ts";

/** The events of one message. */
export interface MessageEvents {
  readonly header: LogHeader;
  readonly events: readonly StreamEvent[];
}

/** Returns the events of a message with a `seq` above `after`. Fetches only the large rows that contain such events. */
export async function eventsIn(
  stream: LogStream,
  message: LogMessage,
  after: number,
): Promise<MessageEvents> {
  const header = readHeader(message.fields);
  if (header.lastSeq <= after || header.lastSeq < header.firstSeq) return { header, events: [] };
  const { rows, record = recordIn(message.fields) } = readPayload(message.data);
  if (record === undefined) throw new DamagedBlockError(`Message ${message.seq} has no record`);
  const { id, runtime } = record.info;
  const events: StreamEvent[] = [];
  for (const row of rows) {
    if (row.lastSeq <= after) continue;
    const { events: stored } = "parts" in row ? await fetchRow(stream, row) : row;
    const skip = Math.max(0, after + 1 - row.firstSeq);
    events.push(...withEnvelope(row, { id, runtime }, stored.slice(skip), skip));
  }
  return { header, events };
}

/** Fetches the parts of a large row. */
async function fetchRow(stream: LogStream, { parts, ...row }: PartedRow): Promise<EventRow> {
  const messages = await Promise.all(parts.map((seq) => stream.at(seq)));
  const bytes = messages.map((message) => {
    if (message === null) throw new DamagedBlockError(`A part of event ${row.firstSeq} is missing`);
    return message.data;
  });
  return { ...row, events: JSON.parse(Buffer.concat(bytes).toString("utf8")) };
}
