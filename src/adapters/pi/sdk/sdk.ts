import { setTimeout as delay } from "node:timers/promises";
import { createChannel } from "../../../async/channel.ts";
import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import type {
  Connection,
  ConnectionSettings,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../../contracts/adapter.ts";
import type { EventDraft, Mapper } from "../../../contracts/event-draft.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import type { Answer } from "../../../schema/permission.ts";
import { extensionWarning } from "../dialog.ts";
import { codeOf } from "../events/completion.ts";
import { createMapper } from "../events/events.ts";
import type { PiPaths } from "../find.ts";
import { piImages } from "../model/model.ts";
import { permissionRequest } from "../permission.ts";
import { PermissionGate } from "../permission-gate.ts";
import { reportWhenResumable } from "../resumable.ts";
import { loadPi } from "./load.ts";
import { openSdkSession, type PiSession, type SdkSession } from "./session.ts";
import { StrayProcesses } from "./stray-processes.ts";

/** Opens a Pi session in this process and returns the connection. Throws `unsupported` for an attach. */
export async function connectSdk(
  request: ConnectRequest,
  options: Omit<PiPaths, "bin">,
): Promise<Connection> {
  if (request.attach !== undefined)
    throw new HalyardError(
      "unsupported",
      "Pi runs inside Halyard's process and exits with that process, so Halyard cannot attach to Pi. Resume the session instead.",
    );
  const sdk = await loadPi(options);
  const channel = createChannel<Output>();
  const emit = (drafts: EventDraft[], raw?: unknown) => {
    if (drafts.length > 0) channel.push({ drafts, raw });
  };
  const gate = new PermissionGate((nativeId, call) => emit([permissionRequest(nativeId, call)]));
  const strayProcesses = new StrayProcesses(request.runDir);
  const opened = await openSdkSession(sdk, request, { env: options.env, gate, strayProcesses });
  const { session } = opened;
  for (const { path, error } of session.resourceLoader.getExtensions().errors)
    emit([extensionWarning(`loading ${path}`, error)]);
  await session.bindExtensions({
    onError: ({ event, error }) => emit([extensionWarning(event, error)]),
  });
  return new SdkConnection(opened, { request, gate, strayProcesses, emit, channel });
}

type PiEvent = Parameters<Parameters<PiSession["subscribe"]>[0]>[0];

interface Parts {
  readonly request: ConnectRequest;
  readonly gate: PermissionGate;
  readonly strayProcesses: StrayProcesses;
  readonly channel: ReturnType<typeof createChannel<Output>>;
  emit(drafts: EventDraft[], raw?: unknown): void;
}

class SdkConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #session: PiSession;
  readonly #opened: SdkSession;
  readonly #parts: Parts;
  readonly #mapper: Mapper;
  /** Resolves when the last requested run has started or failed. */
  #started: Deferred<Receipt> = createDeferred();
  #disposing: Promise<void> | undefined;

  constructor(opened: SdkSession, parts: Parts) {
    const { session } = opened;
    this.#session = session;
    this.#opened = opened;
    this.#parts = parts;
    this.output = parts.channel;
    const mapper = createMapper();
    this.#mapper =
      parts.request.resume === undefined
        ? reportWhenResumable(mapper, () => session.sessionId)
        : mapper;
    this.#started.resolve({ status: "confirmed" });
    session.subscribe((event) => this.#onEvent(event));
  }

  async ready(): Promise<Handshake> {
    const { sessionId: runtimeSessionId } = this.#session;
    return { runtimeSessionId, resumable: this.#parts.request.resume !== undefined };
  }

  async send(input: TurnInput): Promise<Receipt> {
    this.#assertNotDisposed();
    const started = createDeferred<Receipt>();
    this.#started = started;
    await this.#waitForCompaction();
    await this.#opened.rules.apply(this.#session);
    const run = this.#run(input, started);
    return Promise.race([started.promise, run.then(() => started.promise)]);
  }

  /** Starts a compaction and resolves when it has started. An event reports its end. */
  async compact(): Promise<Receipt> {
    this.#assertNotDisposed();
    const started = createDeferred<Receipt>();
    this.#started = started;
    await this.#waitForCompaction();
    const ended = this.#session.compact().then(
      (): Receipt => ({ status: "submitted" }),
      (error) => Promise.reject(new HalyardError("delivery_failed", reasonOf(error))),
    );
    return Promise.race([ended, started.promise]);
  }

  async steer(input: TurnInput): Promise<Receipt> {
    this.#assertNotDisposed();
    if (!this.#session.isStreaming && !this.#session.isRetrying)
      throw new HalyardError(
        "delivery_failed",
        "Pi has no active turn. Send the message as a new turn.",
      );
    await this.#session.steer(input.text, piImages(input).images);
    return { status: "submitted" };
  }

  /** Aborts the run. Waits until the run has started, because Pi ignores an earlier abort. */
  async cancel(): Promise<void> {
    this.#session.abortCompaction();
    await this.#started.promise;
    this.#session.clearQueue();
    await this.#session.abort();
  }

  async configure(settings: ConnectionSettings): Promise<void> {
    const { rules, find } = this.#opened;
    await rules.change(settings, find);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    this.#parts.gate.answer(nativeId, answer);
  }

  async detach(): Promise<void> {
    throw new HalyardError(
      "unsupported",
      "Pi runs inside this process and exits with it, so the session cannot be detached. Start the session with createHalyard({ detached: true }) or on the daemon.",
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    const timer = new AbortController();
    const { stopMs } = this.#parts.request.limits;
    const limit = stopMs > 0 ? [delay(stopMs, undefined, { signal: timer.signal })] : [];
    // ignored, because the session is disposed in any case
    await Promise.race([this.cancel(), ...limit]).catch(() => {});
    timer.abort();
    this.#session.dispose();
    await this.#parts.strayProcesses.killAll();
    this.#parts.channel.end();
  }

  /** Runs a message. Resolves at the end of the run. Rejects if the run never started. */
  async #run(input: TurnInput, started: Deferred<Receipt>): Promise<void> {
    try {
      this.#assertNotDisposed();
      const preflightResult = (isAccepted: boolean) => isAccepted && this.#emitAccepted();
      const options = { source: "rpc" as const, preflightResult, ...piImages(input) };
      await this.#session.prompt(input.text, options);
    } catch (error) {
      started.resolve({ status: "submitted" });
      throw error instanceof HalyardError ? error : this.#toDeliveryError(error);
    }
    setImmediate(() => this.#emitIdle(started));
  }

  #onEvent(event: PiEvent): void {
    if (event.type === "agent_start" || event.type === "compaction_start")
      this.#started.resolve({ status: "confirmed" });
    const raw = rawOf(event);
    this.#parts.request.onNativeMessage?.(raw);
    this.#parts.emit(this.#mapper.map(event), raw);
    // If another event cancels this end, Pi emits that event synchronously.
    if (event.type === "agent_end") setImmediate(() => this.#emitNative({ type: "agent_settled" }));
  }

  #emitNative(message: unknown): void {
    this.#parts.emit(this.#mapper.map(message));
  }

  #emitAccepted(): void {
    this.#emitNative({ type: "response", command: "prompt", success: true });
  }

  /** Completes the turn for a message that a user's extension handled as a command, without a run. */
  #emitIdle(started: Deferred<Receipt>): void {
    started.resolve({ status: "submitted" });
    this.#emitNative({
      type: "response",
      command: "get_state",
      success: true,
      data: { isStreaming: false },
    });
  }

  #toDeliveryError(error: unknown): HalyardError {
    const message = reasonOf(error);
    this.#emitNative({ type: "response", command: "prompt", success: false, error: message });
    const code = codeOf(message) === "not_signed_in" ? "not_signed_in" : "delivery_failed";
    return new HalyardError(code, message, { cause: error });
  }

  /** Waits until a compaction after the previous turn has ended. Otherwise, Pi would mix the compaction with the next turn. */
  async #waitForCompaction(): Promise<void> {
    if (!this.#session.isCompacting) return;
    await new Promise<void>((resolve) => {
      const stop = this.#session.subscribe(({ type }) => {
        if (type !== "compaction_end") return;
        stop();
        setImmediate(resolve);
      });
    });
  }

  #assertNotDisposed(): void {
    if (this.#disposing !== undefined)
      throw new HalyardError("session_stopped", "The session has ended. Resume it to continue.");
  }
}

/** Returns an update without its partial message, which repeats the whole text and which Pi keeps changing. */
function rawOf(event: PiEvent): unknown {
  if (event.type !== "message_update") return event;
  const { partial: _, ...update } = Object.assign(
    { partial: undefined },
    event.assistantMessageEvent,
  );
  return { type: event.type, assistantMessageEvent: update };
}
