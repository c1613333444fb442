import type { MsgHdrs } from "@nats-io/transport-node";
import type { SessionRecord, StoredEvent } from "../../contracts/store.ts";
import type { TurnId } from "../../schema/id.ts";
import { type BlockRow, DamagedBlockError } from "../block-row.ts";

/** The session's state after a message, and the claim under which the message was written. */
export interface LogRecord extends SessionRecord {
  /** Incremented by each claim. */
  readonly epoch: number;
  /** The stream sequence of the message that created the session. Absent in that message itself. */
  readonly createdAt?: number;
}

/** The header of a message on the log subject of a session. */
export interface LogHeader {
  /** Identifies one write of one writer, so that the writer recognizes its message after a lost acknowledgment. */
  readonly writeId: string;
  /** The `seq` of the first event. */
  readonly firstSeq: number;
  /** The `seq` of the last event, or `firstSeq - 1` if the message contains no events. */
  readonly lastSeq: number;
}

/** A row with its events as values. */
export interface EventRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: string;
  readonly turnId: TurnId | null;
  readonly events: readonly StoredEvent[];
}

/** A row that is too large for one message, stored as the stream sequences of the messages that contain its bytes. */
export interface PartedRow extends Omit<BlockRow, "body"> {
  readonly parts: readonly number[];
}

/** The content of a message. */
export interface LogPayload {
  readonly rows: readonly (EventRow | PartedRow)[];
  /** Set if the record is too large for the header. */
  readonly record?: LogRecord;
}

/** A row to write. It contains its events as JSON, or refers to the messages that contain them. */
export type WrittenRow = BlockRow | PartedRow;

/** A message to write. */
export interface WrittenMessage {
  readonly header: LogHeader;
  readonly record: LogRecord;
  readonly rows: readonly WrittenRow[];
}

/** Sets the header fields and returns the payload. */
export function encodeMessage(fields: MsgHdrs, message: WrittenMessage): string {
  const { header, record, rows } = message;
  fields.set(WRITE, header.writeId);
  fields.set(SEQS, `${header.firstSeq} ${header.lastSeq}`);
  const json = JSON.stringify(record);
  const isLarge = json.length > MAX_HEADER_LENGTH;
  if (!isLarge) fields.set(RECORD, json);
  return `{"rows":[${rows.map(toJson).join(",")}]${isLarge ? `,"record":${json}` : ""}}`;
}

/**
 * Sets the header fields of a message that removes a session, and returns its payload, which contains no events and no
 * record.
 */
export function encodeRemoval(fields: MsgHdrs): string {
  fields.set(WRITE, "removed");
  fields.set(SEQS, "1 0");
  return '{"rows":[]}';
}

/** Serializes a row. Inserts its events unchanged, because they are already JSON. */
function toJson(row: WrittenRow): string {
  if ("parts" in row) return JSON.stringify(row);
  const { body, ...fields } = row;
  return `${JSON.stringify(fields).slice(0, -1)},"events":${body}}`;
}

/** Reads the header fields. Throws `DamagedBlockError` if another program wrote the message. */
export function readHeader(fields: MsgHdrs): LogHeader {
  const writeId = fields.get(WRITE);
  const [first, last] = fields.get(SEQS).split(" ");
  if (writeId === "" || !first || !last)
    throw new DamagedBlockError("A message in the stream was not written by Halyard");
  return { writeId, firstSeq: Number(first), lastSeq: Number(last) };
}

/**
 * Returns the record in the header fields. Returns undefined if the payload contains the record, or if the message
 * removes the session.
 */
export function recordIn(fields: MsgHdrs): LogRecord | undefined {
  return fields.has(RECORD) ? JSON.parse(fields.get(RECORD)) : undefined;
}

/** Reads the payload of a message. */
export function readPayload(data: Uint8Array): LogPayload {
  return JSON.parse(decoder.decode(data));
}

const WRITE = "Halyard-Write";
const SEQS = "Halyard-Seqs";
const RECORD = "Halyard-Record";
/**
 * The maximum length of a record in the header, in characters. Servers in a cluster limit the whole header to 64 KB.
 */
const MAX_HEADER_LENGTH = 16 * 1024;
const decoder = new TextDecoder();
