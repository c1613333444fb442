import type { AttachPoint, Output } from "../contracts/adapter.ts";
import { type EventDraft, type Mapper, warning } from "../contracts/event-draft.ts";
import type { HostProcess } from "../contracts/host.ts";
import { errorInfo, HalyardError } from "../errors/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { createNdjsonReader, type NdjsonItem } from "../wire/ndjson.ts";
import { exitWords } from "./exit-words.ts";
import { Garbage } from "./garbage.ts";
import { createOutputRelease } from "./release-output.ts";

/** Options for `nativeStream`. */
export interface NativeStreamOptions {
  readonly runtime: RuntimeName;
  readonly mapper: Mapper;
  readonly attach?: AttachPoint | undefined;
  /** Returns the byte offset from which the output may have to be read again. */
  readonly neededFrom?: (() => number) | undefined;
  /** Returns the byte offset up to which the output is in the log. */
  readonly loggedUntil?: (() => number) | undefined;
  /** Called with every message that is not in the log yet. Messages in the log are read again after an attach. */
  readonly onNativeMessage?: ((message: unknown) => void) | undefined;
  /**
   * Called with every message before the message is mapped. `isNew` is false if the message is in the log already and
   * is read again after an attach.
   */
  onMessage?(message: unknown, isNew: boolean): void;
  /** Called once with the reason when no more messages will arrive. */
  onEnd?(reason: Error): void;
  /** Aborting the signal ends the stream without an error, to detach from a program that keeps running. */
  readonly signal?: AbortSignal;
}

/**
 * Reads a program's standard output, one JSON message per line, and yields drafts, one batch per chunk of at most
 * 64 KiB. A line that is not JSON becomes a warning, but only the first 100 consecutive lines do. A line longer than
 * 64 MiB becomes an error draft. Throws `agent_exited` after the program has exited, or `agent_failed` after more than
 * 100,000 consecutive lines that are not JSON. Returns without an error if `signal` is aborted.
 */
export async function* nativeStream(
  process: HostProcess,
  options: NativeStreamOptions,
): AsyncGenerator<readonly Output[], void, undefined> {
  const { runtime, mapper, attach, signal } = options;
  const from = attach?.turnCursor ?? 0;
  const reader = createNdjsonReader({ from });
  const garbage = new Garbage(runtime);
  const release = createOutputRelease(process.release?.bind(process), options);
  let end: Error = new HalyardError(
    "session_stopped",
    `Halyard no longer reads the output of ${runtime}. Resume the session to continue.`,
  );
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

/**
 * The number of bytes that are parsed per step. Small steps are about 25% faster, because their objects are
 * short-lived and cheap to collect.
 */
const STEP_BYTES = 64 * 1024;

/**
 * Adds the outputs of these items to the batch. Output that is already in the log is mapped again to restore the
 * mapper's and the redactor's state. The function is a hot path.
 */
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
    if (item.kind === "message") options.onNativeMessage?.(item.value);
    if (drafts.length === 0) continue;
    if (item.kind !== "message") {
      batch.push({ drafts, cursor });
      continue;
    }
    const late = item.invalidUtf8 ? 0 : (options.mapper.late ?? 0);
    if (late > 0) batch.push({ drafts: drafts.slice(0, late) }); // these drafts belong to an earlier message
    batch.push({ drafts: late > 0 ? drafts.slice(late) : drafts, raw: item.value, cursor });
  }
  if (cursor > logged && batch.at(-1)?.cursor !== cursor) batch.push({ drafts: [], cursor });
}

function toDrafts(item: NdjsonItem, options: NativeStreamOptions, garbage: Garbage): EventDraft[] {
  const { runtime, mapper } = options;
  if (item.kind === "garbage")
    return item.text === "" ? [tooLong(runtime, item.reason)] : garbage.report(item.text);
  garbage.endRow();
  options.onMessage?.(item.value, item.end > (options.attach?.cursor ?? 0));
  const drafts = mapper.map(item.value);
  return item.invalidUtf8 ? [notUtf8(runtime), ...drafts] : drafts;
}

function notUtf8(runtime: RuntimeName): EventDraft {
  const what = "a message that is not valid UTF-8; invalid bytes were replaced with U+FFFD";
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

/** The maximum number of stderr characters in an error, which is enough for the last lines of a stack trace. */
const STDERR_LENGTH = 2000;
