import type { Msg, MsgHdrs } from "@nats-io/transport-node";

/** One message of an HTTP exchange over NATS. An exchange is a series of numbered frames in each direction. */
export interface Frame {
  /** The number of the frame, starting at 0. A gap means that a frame was lost with a connection. */
  readonly number: number;
  readonly kind: FrameKind;
  readonly data: Uint8Array;
}

/** `alive` signals that the request is still being processed. `fault` ends a response that cannot be completed. */
export type FrameKind = "head" | "data" | "end" | "alive" | "fault";

/** The first frame of a request, as JSON. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The first frame of a response, as JSON. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A control message from the client: the number of frames that it has processed, or a cancellation. */
export type Control = { readonly processed: number } | { readonly cancelled: true };

/** Returns the subject on which the client of an exchange sends its controls. */
export function controlOf(inbox: string): string {
  return `${inbox}.control`;
}

/** Sets the number and the kind of a frame. */
export function markFrame(fields: MsgHdrs, number: number, kind: FrameKind): MsgHdrs {
  fields.set(FIELD, `${number} ${kind}`);
  return fields;
}

/** Reads a frame. Returns undefined if the message is not a frame. */
export function readFrame({ headers, data }: Msg): Frame | undefined {
  const [number, kind] = headers?.get(FIELD).split(" ") ?? [];
  return isKind(kind) ? { number: Number(number), kind, data } : undefined;
}

/** Splits bytes into pieces that fit into one message each. */
export function* toPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The maximum number of frames that the server sends before the client has processed them. */
export const WINDOW_FRAMES = 64;

/** The interval between `alive` frames, in milliseconds. */
export const ALIVE_MS = 2_000;

/** How long the client waits for the next frame, in milliseconds. */
export const SILENCE_MS = 8_000;

function isKind(kind: string | undefined): kind is FrameKind {
  return kind !== undefined && kinds.has(kind);
}

const kinds: ReadonlySet<string> = new Set(["head", "data", "end", "alive", "fault"]);
const FIELD = "Halyard-Frame";
const PIECE_BYTES = 256 * 1024;
