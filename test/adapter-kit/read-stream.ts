import { type NativeStreamOptions, nativeStream } from "../../src/adapter-kit/native-stream.ts";
import type { Output } from "../../src/contracts/adapter.ts";
import type { EventDraft, Mapper } from "../../src/contracts/event-draft.ts";
import type { HostProcess } from "../../src/contracts/host.ts";

/** Returns a status draft. */
export const status = (text: string): EventDraft => ({ type: "system", subtype: "status", text });

/** Returns a mapper that numbers its messages and emits no draft for null. */
export function counting(): Mapper {
  let count = 0;
  return {
    map(message) {
      count++;
      return message === null ? [] : [status(`${count}: ${JSON.stringify(message)}`)];
    },
    flush: () => [status(`${count} in all`)],
  };
}

/** The output of a stream, and the error that ended it. The error is undefined if the stream ended normally. */
export interface ReadStream {
  readonly batches: (readonly Output[])[];
  readonly outputs: Output[];
  readonly error: unknown;
}

/** Reads a stream to its end. */
export async function listen(
  process: HostProcess,
  options: Partial<NativeStreamOptions> = {},
): Promise<ReadStream> {
  const batches: (readonly Output[])[] = [];
  let error: unknown;
  try {
    const stream = nativeStream(process, { runtime: "fake", mapper: counting(), ...options });
    for await (const batch of stream) batches.push(batch);
  } catch (reason) {
    error = reason;
  }
  return { batches, outputs: batches.flat(), error };
}

/** Returns the texts of all drafts. */
export const texts = ({ outputs }: ReadStream) =>
  outputs.flatMap(({ drafts }) =>
    drafts.map((draft) => ("text" in draft ? draft.text : "message" in draft && draft.message)),
  );
