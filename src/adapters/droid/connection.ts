import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { NativeProgram } from "../../adapter-kit/native-program.ts";
import type {
  Connection,
  ConnectionSettings,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../wire/json-rpc-error.ts";
import { createMapper } from "./events/events.ts";
import { toRequestId } from "./events/message-id.ts";
import { NativeTurn } from "./events/native-turn.ts";
import { PendingCalls } from "./events/pending-calls.ts";
import { answerInPlan } from "./events/plan.ts";
import { changeSession } from "./files/session-settings.ts";
import { MessageRouter } from "./message-router.ts";
import type { ModelSource } from "./model.ts";
import { openSession } from "./open-session.ts";
import { denialOf, toResult } from "./requests/answers.ts";
import { denyPermissions } from "./requests/deny-permissions.ts";
import { limitTurns } from "./turn-limits.ts";

/** The connection to a `droid exec` process that serves one session. */
export class DroidConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #calls: PendingCalls;
  readonly #router: MessageRouter;
  readonly #turn = new NativeTurn();
  readonly #handshake: Promise<Handshake>;
  #request: ConnectRequest;
  /** Resolves when the last message is confirmed or has failed. Never rejects. */
  #sending: Promise<unknown> = Promise.resolve();
  #disposing: Promise<void> | undefined;

  /** Creates the connection. If `source` is undefined, attaches to an existing session. */
  constructor(process: HostProcess, request: ConnectRequest, source?: ModelSource) {
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    this.#calls = new PendingCalls((text) => this.#program.write(text));
    this.#router = new MessageRouter({
      response: (message) => this.#calls.receive(message),
      unknownRequest: (id) => this.#refuse(id),
    });
    const output = this.#program.output({
      runtime: "droid",
      mapper: limitTurns(createMapper({ live: true, turn: this.#turn }), () => this.#interrupt()),
      onMessage: (message) => this.#router.route(message),
      onEnd: (reason) => this.#calls.close(reason),
    });
    this.output = denyPermissions(output, {
      isPlanning: () => this.#request.plan,
      deny: (id) => this.#denyWhilePlanning(id),
    });
    this.#handshake = source ? this.#openSession(source) : this.#attach();
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send(input: TurnInput): Promise<Receipt> {
    const messageId = randomUUID();
    const begun = this.#router.deliveries.expect(messageId);
    const sent = this.#deliver(input, messageId).then(() => this.#program.unlessGone(begun));
    this.#sending = sent.catch(() => {}); // the caller of send() receives the error
    return sent;
  }

  /**
   * Sends a message to the running turn. Rejects if the turn has ended, because Droid would start a native turn that
   * belongs to none of Halyard's turns.
   */
  async steer(input: TurnInput): Promise<Receipt> {
    if (this.#turn.hasEnded)
      throw new HalyardError(
        "delivery_failed",
        "Droid has no turn in progress. Send the message as a new turn.",
      );
    await this.#deliver(input);
    return { status: "submitted" };
  }

  async cancel(): Promise<void> {
    await this.#sending;
    await this.#call("interrupt_session", {});
  }

  async configure(settings: ConnectionSettings): Promise<void> {
    const { runtimeSessionId: sessionId } = await this.#handshake;
    if (sessionId === undefined)
      throw new HalyardError(
        "unsupported",
        "Halyard does not know the id of this Droid session and cannot change its settings. Start a new session.",
      );
    const call = (method: string, params: unknown) => this.#call(method, params);
    this.#request = await changeSession(this.#request, settings, { sessionId, call });
  }

  /**
   * Answers a request. Droid ends its turn when a tool is denied, so the reason is sent first, in a message that
   * continues the turn.
   */
  async answer(nativeId: string, answer: Answer): Promise<void> {
    const request = await this.#program.unlessGone(this.#router.requests.find(nativeId));
    if (request === undefined) return; // Droid no longer waits for the answer
    const denial = denialOf(request, answer);
    if (denial !== undefined) await this.#deliver({ text: denial });
    await this.#calls.reply(request.id, { result: toResult(request, answer) });
    this.#router.requests.settle(nativeId);
  }

  detach(): Promise<void> {
    return this.#program.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    const timer = new AbortController();
    const limit = delay(INTERRUPT_MS, undefined, { signal: timer.signal });
    const interrupted = this.#calls.call("interrupt_session", {});
    await Promise.race([interrupted, limit]).catch(() => {}); // ignored, because the process is terminated in any case
    timer.abort();
    limit.catch(() => {}); // rejects when the timer is aborted above
    interrupted.catch(() => {}); // rejects if the process exits first
    await this.#program.terminate();
  }

  async #openSession(source: ModelSource): Promise<Handshake> {
    const runtimeSessionId = await openSession({
      request: this.#request,
      source,
      call: (method, params) => this.#calls.call(method, params),
      reportedSessionId: () => this.#router.sessionId,
    });
    return { runtimeSessionId, resumable: true, pid: this.#program.pid };
  }

  async #attach(): Promise<Handshake> {
    if (await this.#program.isDead())
      throw new HalyardError(
        "lost",
        "The Droid process has exited. Resume the session to start a new process.",
      );
    await this.#program.write("\n"); // ends a partial line that the previous owner may have written
    const runtimeSessionId = this.#request.attach?.runtimeSessionId;
    const { pid } = this.#program;
    return { ...(runtimeSessionId !== undefined && { runtimeSessionId }), pid };
  }

  async #deliver(
    { text, images = [] }: Pick<TurnInput, "text" | "images">,
    messageId: string = randomUUID(),
  ): Promise<void> {
    this.#turn.sent(messageId);
    const sources = images.map(({ data, mediaType }) => ({ type: "base64", data, mediaType }));
    const attached = sources.length > 0 ? { images: sources } : {};
    try {
      const message = { text, messageId, ...attached };
      await this.#call("add_user_message", message, toRequestId(messageId));
    } catch (error) {
      this.#turn.dropped(messageId); // Droid rejected the message, so the turn must not wait for it
      throw error;
    }
  }

  #interrupt(): void {
    this.#calls.call("interrupt_session", {}).catch(() => {}); // if this fails, the turn continues
  }

  #denyWhilePlanning(nativeId: string): void {
    this.#router.requests
      .find(nativeId)
      .then((request) => request && this.answer(nativeId, answerInPlan(request)))
      .catch(() => {}); // if this fails, Droid keeps waiting, and the user can cancel the turn
  }

  #refuse(id: string): void {
    const error = { code: METHOD_NOT_FOUND, message: "Halyard does not support this request." };
    this.#calls.reply(id, { error }).catch(() => {}); // fails only if Droid has exited
  }

  async #call(method: string, params: unknown, id?: string): Promise<unknown> {
    try {
      return await this.#calls.call(method, params, id);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      throw new HalyardError(
        "delivery_failed",
        `Droid rejected the call ${method}: ${error.message}. Try again. If the call fails again, stop and resume the session.`,
        { cause: error },
      );
    }
  }
}

/** The maximum time to wait for Droid to confirm an interrupt before Droid is terminated, in milliseconds. */
const INTERRUPT_MS = 500;
