import type { RuntimeName } from "../schema/runtime.ts";
import { createNdjsonReader, type NdjsonItem } from "../wire/ndjson.ts";
import type { AttachPoint, Output } from "./adapter.ts";
import { type EventDraft, type Mapper, warning } from "./draft.ts";
import { errorInfo, HalyardError } from "./error.ts";
import { exitWords } from "./exit-words.ts";
import { Garbage } from "./garbage.ts";
import type { HostProcess } from "./host.ts";

/** How to read a runtime's output. */
export interface NativeStreamOptions {
  readonly runtime: RuntimeName;
  readonly mapper: Mapper;
  readonly attach?: AttachPoint | undefined;
  /** From where on the output may have to be read again. */
  readonly neededFrom?: (() => number) | undefined;
  /** Told every message that is new. */
  readonly hear?: ((message: unknown) => void) | undefined;
  /** Sees every message just before the mapper does, also those read again after an attach, which are not new. */
  onMessage?(message: unknown, isNew: boolean): void;
  /** Called once, with the reason why no more messages will be seen. */
  onEnd?(reason: Error): void;
  /** Ends the stream without a word, for whoever lets go of a program that goes on. */
  readonly signal?: AbortSignal;
}

/**
 * What a program says on its standard output, one JSON message per line, told in our words: in batches of what
 * came at once. Bad lines are told of and passed over. Throws `agent_exited` when the program has ended,
 * whether or not anybody wanted that.
 */
export async function* nativeStream(
  process: HostProcess,
  options: NativeStreamOptions,
): AsyncGenerator<readonly Output[], void, undefined> {
  const { runtime, mapper, attach, signal } = options;
  const from = attach?.turnCursor ?? 0;
  const reader = createNdjsonReader({ from });
  const garbage = new Garbage(runtime);
  const release = createRelease(process, options.neededFrom);
  let end: Error = new HalyardError("session_stopped", `nobody listens to ${runtime} any more`);
  try {
    for await (const { bytes } of process.output({ from, ...(signal && { signal }) })) {
      for (let at = 0; at < bytes.length; at += STEP_BYTES) {
        const batch: Output[] = [];
        const step = bytes.length > STEP_BYTES ? bytes.subarray(at, at + STEP_BYTES) : bytes;
        collect(batch, reader.push(step), options, garbage);
        if (batch.length > 0) yield batch;
      }
      release();
    }
    if (signal?.aborted) return;
    const last: Output[] = [];
    collect(last, reader.end(), options, garbage);
    const heldBack = mapper.flush();
    if (heldBack.length > 0) last.push({ drafts: heldBack });
    if (last.length > 0) yield last;
    throw await exitError(process, runtime);
  } catch (error) {
    if (signal?.aborted) return;
    end = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    options.onEnd?.(end);
  }
}

/** Gives back now and then what the recording of a long session has that nobody needs. */
function createRelease(process: HostProcess, neededFrom: () => number = () => 0): () => void {
  let released = 0;
  let isPossible = process.release !== undefined;
  return () => {
    const before = neededFrom();
    if (!isPossible || before - released < RELEASE_BYTES) return;
    released = before;
    process.release?.(before).catch(() => {
      isPossible = false; // and the recording takes its space until the session ends
    });
  };
}

/** Enough to be worth the while, and not enough to be missed. */
const RELEASE_BYTES = 4 * 1024 * 1024;

/** Small, so that what is made on the way from bytes to outputs dies young: a quarter more messages per second. */
const STEP_BYTES = 64 * 1024;

/** The hot path. What the log has already is mapped again for the mapper's state, and its deltas for the redactor's. */
function collect(
  batch: Output[],
  items: readonly NdjsonItem[],
  options: NativeStreamOptions,
  garbage: Garbage,
): void {
  const { cursor: logged = 0, turnId } = options.attach ?? {};
  let cursor = 0;
  for (const item of items) {
    const drafts = toDrafts(item, options, garbage);
    cursor = item.end;
    if (cursor <= logged) {
      const deltas = turnId ? drafts.filter((draft) => draft.type === "delta") : [];
      if (turnId && deltas.length > 0) batch.push({ drafts: [], replayed: { turnId, deltas } });
      continue;
    }
    if (item.kind === "message") options.hear?.(item.value);
    if (drafts.length === 0) continue;
    if (item.kind !== "message") {
      batch.push({ drafts, cursor });
      continue;
    }
    const late = item.invalidUtf8 ? 0 : (options.mapper.late ?? 0);
    if (late > 0) batch.push({ drafts: drafts.slice(0, late) }); // this message is not theirs
    batch.push({ drafts: late > 0 ? drafts.slice(late) : drafts, raw: item.value, cursor });
  }
  if (cursor > logged && batch.at(-1)?.cursor !== cursor) batch.push({ drafts: [], cursor });
}

function toDrafts(item: NdjsonItem, options: NativeStreamOptions, garbage: Garbage): EventDraft[] {
  const { runtime, mapper } = options;
  if (item.kind === "garbage")
    return item.text === "" ? [tooLong(runtime, item.reason)] : garbage.tell(item.text);
  garbage.endRow();
  options.onMessage?.(item.value, item.end > (options.attach?.cursor ?? 0));
  const drafts = mapper.map(item.value);
  return item.invalidUtf8 ? [notUtf8(runtime), ...drafts] : drafts;
}

function notUtf8(runtime: RuntimeName): EventDraft {
  const what = "a message that is not valid UTF-8; U+FFFD stands for what could not be read";
  return warning(`${runtime} wrote ${what}`);
}

function tooLong(runtime: RuntimeName, reason: string): EventDraft {
  return {
    type: "error",
    ...errorInfo("line_too_long", `${runtime}: ${reason}`),
  };
}

async function exitError(process: HostProcess, runtime: RuntimeName): Promise<HalyardError> {
  const end = exitWords(await process.exit);
  const stderr = (await process.stderrTail()).trim();
  const said = stderr.length > STDERR_LENGTH ? `…${stderr.slice(-STDERR_LENGTH)}` : stderr;
  return new HalyardError("agent_exited", `${runtime} ${end}${said && `: ${said}`}`);
}

/** Enough for the last line of a stack trace and what it is about. */
const STDERR_LENGTH = 2000;
