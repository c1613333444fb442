import { setTimeout as delay } from "node:timers/promises";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  Settings,
  TurnInput,
} from "../../core/adapter.ts";
import { createChannel } from "../../core/channel.ts";
import { createDeferred, type Deferred } from "../../core/deferred.ts";
import type { EventDraft, Mapper } from "../../core/draft.ts";
import { HalyardError, reasonOf } from "../../core/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { codeOf } from "./completion.ts";
import { extensionWarning } from "./dialog.ts";
import { createMapper } from "./events.ts";
import { LeftBehind } from "./left-behind.ts";
import { loadPi } from "./load.ts";
import { permissionRequest } from "./permission.ts";
import { PermissionGate } from "./permission-gate.ts";
import { sayWhenResumable } from "./resumable.ts";
import { openSdkSession, type PiSession, type SdkSession } from "./sdk-session.ts";

/** Opens a session of Pi's in this process. */
export async function connectSdk(
  request: ConnectRequest,
  options: { runtimesDir: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Connection> {
  if (request.attach !== undefined)
    throw new HalyardError("unsupported", "Pi in this process ends with it: nothing to attach to");
  const sdk = await loadPi(options.runtimesDir);
  const channel = createChannel<Output>();
  const tell = (drafts: EventDraft[], raw?: unknown) => {
    if (drafts.length > 0) channel.push({ drafts, raw });
  };
  const gate = new PermissionGate((nativeId, call) => tell([permissionRequest(nativeId, call)]));
  const leftBehind = new LeftBehind(request.runDir);
  const opened = await openSdkSession(sdk, request, { env: options.env, gate, leftBehind });
  const { session } = opened;
  for (const { path, error } of session.resourceLoader.getExtensions().errors)
    tell([extensionWarning(`loading ${path}`, error)]);
  await session.bindExtensions({
    onError: ({ event, error }) => tell([extensionWarning(event, error)]),
  });
  return new SdkConnection(opened, { request, gate, leftBehind, tell, channel });
}

type PiEvent = Parameters<Parameters<PiSession["subscribe"]>[0]>[0];

interface Parts {
  readonly request: ConnectRequest;
  readonly gate: PermissionGate;
  readonly leftBehind: LeftBehind;
  readonly channel: ReturnType<typeof createChannel<Output>>;
  tell(drafts: EventDraft[], raw?: unknown): void;
}

class SdkConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #session: PiSession;
  readonly #opened: SdkSession;
  readonly #parts: Parts;
  readonly #mapper: Mapper;
  /** Kept once the run that was asked for last has begun, or came to nothing. */
  #begun: Deferred<Receipt> = createDeferred();
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
        ? sayWhenResumable(mapper, () => session.sessionId)
        : mapper;
    this.#begun.resolve({ status: "confirmed" });
    session.subscribe((event) => this.#hear(event));
  }

  async ready(): Promise<Handshake> {
    const { sessionId: runtimeSessionId } = this.#session;
    return { runtimeSessionId, resumable: this.#parts.request.resume !== undefined };
  }

  async send({ text }: TurnInput): Promise<Receipt> {
    this.#refuseIfDisposed();
    const begun = createDeferred<Receipt>();
    this.#begun = begun;
    await this.#compacted();
    await this.#opened.rules.apply(this.#session);
    const run = this.#run(text, begun);
    return Promise.race([begun.promise, run.then(() => begun.promise)]);
  }

  async steer({ text }: TurnInput): Promise<Receipt> {
    this.#refuseIfDisposed();
    if (!this.#session.isStreaming && !this.#session.isRetrying)
      throw new HalyardError("delivery_failed", "Pi has no turn under way to add this to");
    await this.#session.steer(text);
    return { status: "submitted" };
  }

  /** An abort before the run has begun would go unnoticed. */
  async cancel(): Promise<void> {
    this.#session.abortCompaction();
    await this.#begun.promise;
    this.#session.clearQueue();
    await this.#session.abort();
  }

  async configure(settings: Settings): Promise<void> {
    const { rules, find } = this.#opened;
    await rules.change(settings, find);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    this.#parts.gate.answer(nativeId, answer);
  }

  async detach(): Promise<void> {
    throw new HalyardError(
      "unsupported",
      "Pi in this process ends with it and cannot be left running",
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
    await Promise.race([this.cancel(), ...limit]).catch(() => {}); // it ends either way
    timer.abort();
    this.#session.dispose();
    await this.#parts.leftBehind.end();
    this.#parts.channel.end();
  }

  /** Resolves at the end of the run; rejects if it never began. */
  async #run(text: string, begun: Deferred<Receipt>): Promise<void> {
    try {
      this.#refuseIfDisposed();
      const preflightResult = (isAccepted: boolean) => isAccepted && this.#accepted();
      await this.#session.prompt(text, { source: "rpc", preflightResult });
    } catch (error) {
      begun.resolve({ status: "submitted" });
      throw error instanceof HalyardError ? error : this.#refused(error);
    }
    setImmediate(() => this.#idle(begun));
  }

  #hear(event: PiEvent): void {
    if (event.type === "agent_start") this.#begun.resolve({ status: "confirmed" });
    const raw = rawOf(event);
    this.#parts.request.hear?.(raw);
    this.#parts.tell(this.#mapper.map(event), raw);
    // Whatever takes this end back is told in the same breath.
    if (event.type === "agent_end") setImmediate(() => this.#tell({ type: "agent_settled" }));
  }

  #tell(message: unknown): void {
    this.#parts.tell(this.#mapper.map(message));
  }

  #accepted(): void {
    this.#tell({ type: "response", command: "prompt", success: true });
  }

  /** A message that one of the user's extensions took for a command begins no run. */
  #idle(begun: Deferred<Receipt>): void {
    begun.resolve({ status: "submitted" });
    this.#tell({
      type: "response",
      command: "get_state",
      success: true,
      data: { isStreaming: false },
    });
  }

  #refused(error: unknown): HalyardError {
    const message = reasonOf(error);
    this.#tell({ type: "response", command: "prompt", success: false, error: message });
    const code = codeOf(message) === "not_signed_in" ? "not_signed_in" : "delivery_failed";
    return new HalyardError(code, message, { cause: error });
  }

  /** Pi goes on compacting after a turn has ended, and would mix that up with the next one. */
  async #compacted(): Promise<void> {
    if (!this.#session.isCompacting) return;
    await new Promise<void>((resolve) => {
      const stop = this.#session.subscribe(({ type }) => {
        if (type !== "compaction_end") return;
        stop();
        setImmediate(resolve);
      });
    });
  }

  #refuseIfDisposed(): void {
    if (this.#disposing !== undefined)
      throw new HalyardError("session_stopped", "the session has ended; resume it to go on");
  }
}

/** An update repeats all that was said so far, twice, and Pi goes on writing in it. */
function rawOf(event: PiEvent): unknown {
  if (event.type !== "message_update") return event;
  const { partial: _, ...piece } = Object.assign(
    { partial: undefined },
    event.assistantMessageEvent,
  );
  return { type: event.type, assistantMessageEvent: piece };
}
