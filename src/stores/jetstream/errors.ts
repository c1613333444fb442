import { HalyardError, reasonOf } from "../../errors/error.ts";
import { DamagedBlockError } from "../block-row.ts";

/** Converts a NATS client error to a `HalyardError` that states what to do next. */
export function toStreamError(error: unknown, server: string): HalyardError {
  if (error instanceof HalyardError) return error;
  const reason = reasonOf(error);
  const options = { cause: error };
  if (error instanceof DamagedBlockError || error instanceof SyntaxError)
    return new HalyardError(
      "store_corrupt",
      `The stream on ${server} is damaged: ${reason}. Restore a backup of the stream.`,
      options,
    );
  if (isFull(error))
    return new HalyardError(
      "store_full",
      `The stream on ${server} is full (${reason}). Free disk space on the servers, or raise the limits of the stream.`,
      options,
    );
  if (isRepeatable(error))
    return new HalyardError(
      "store_unreachable",
      `NATS at ${server} does not respond (${reason}). Check that a majority of its servers are running.`,
      options,
    );
  return new HalyardError(
    "store_failed",
    `Cannot use the stream on ${server}: ${reason}. Run "halyard --cluster ${server} cluster doctor" to find the problem.`,
    options,
  );
}

/** True if a retry may succeed: during an election, a restart or a lost connection. */
export function isRepeatable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (transientNames.has(error.name)) return true;
  if (error.name === "JetStreamError" && error.message === MISSED) return true;
  if (error.name === "JetStreamApiError") return transientCodes.has(codeOf(error));
  return error.cause instanceof Error && error.cause !== error && isRepeatable(error.cause);
}

/** True if the servers rejected a message because another one was stored on its subject in the meantime. */
export function isWrongSequence(error: unknown): boolean {
  if (error instanceof TakenSequenceError) return true;
  return error instanceof Error && wrongSequenceCodes.has(codeOf(error));
}

/** Thrown if the servers stored another message after the same predecessor and discarded this one. */
export class TakenSequenceError extends Error {
  override readonly name = "TakenSequenceError";
}

/** True if the requested stream, consumer or message does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && missingCodes.has(codeOf(error));
}

function isFull(error: unknown): boolean {
  return error instanceof Error && fullCodes.has(codeOf(error));
}

function codeOf(error: Error): number {
  return "code" in error && typeof error.code === "number" ? error.code : 0;
}

const transientNames = new Set([
  "TimeoutError",
  "NoRespondersError",
  "RequestError",
  "ConnectionError",
  "ProtocolError",
  "JetStreamNotEnabled",
  "JetStreamStatusError",
]);

/** The message of the client's error if a consumer's server does not respond. The error has no code. */
const MISSED = "heartbeats missed";

/** JetStream error codes: no leader, not available, not enough peers, stream offline, raft errors. */
const transientCodes = new Set([
  10004, 10005, 10008, 10009, 10026, 10028, 10039, 10067, 10076, 10118,
]);
/** Resources exceeded, insufficient resources, maximum messages or bytes reached, no space on the device. */
const fullCodes = new Set([10002, 10023, 10047, 10077]);
const wrongSequenceCodes = new Set([10071, 10164]);
/** Consumer not found, stream not found, no message found. */
const missingCodes = new Set([10014, 10037, 10059]);
