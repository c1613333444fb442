import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  Settings,
  TurnInput,
} from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import { NativeProgram } from "../../core/native-program.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../wire/json-rpc-error.ts";
import { denialOf, toResult } from "./answers.ts";
import { declineRequests } from "./decline.ts";
import { createMapper } from "./events.ts";
import { Hearing } from "./hearing.ts";
import { toRequestId } from "./message-id.ts";
import type { ModelSource } from "./model.ts";
import { NativeTurn } from "./native-turn.ts";
import { openSession } from "./open-session.ts";
import { PendingCalls } from "./pending-calls.ts";
import { answerInPlan } from "./plan.ts";
import { stopRunaways } from "./runaway.ts";
import { changeSession } from "./session-settings.ts";

/** A running `droid exec` with one session. */
export class DroidConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #calls: PendingCalls;
  readonly #hearing: Hearing;
  readonly #turn = new NativeTurn();
  readonly #handshake: Promise<Handshake>;
  #request: ConnectRequest;
  /** The message on its way. */
  #sending: Promise<unknown> = Promise.resolve();
  #disposing: Promise<void> | undefined;

  /** Without a source the session is there already. */
  constructor(process: HostProcess, request: ConnectRequest, source?: ModelSource) {
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    this.#calls = new PendingCalls((text) => this.#program.write(text));
    this.#hearing = new Hearing({
      response: (message) => this.#calls.receive(message),
      unknownRequest: (id) => this.#refuse(id),
    });
    const output = this.#program.output({
      runtime: "droid",
      mapper: stopRunaways(createMapper({ live: true, turn: this.#turn }), () => this.#interrupt()),
      onMessage: (message) => this.#hearing.hear(message),
      onEnd: (reason) => this.#calls.close(reason),
    });
    this.output = declineRequests(output, {
      isPlanning: () => this.#request.plan,
      decline: (id) => this.#decline(id),
    });
    this.#handshake = source ? this.#shakeHands(source) : this.#takeUp();
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send({ text }: TurnInput): Promise<Receipt> {
    const messageId = randomUUID();
    const begun = this.#hearing.deliveries.expect(messageId);
    const sent = this.#deliver(text, messageId).then(() => this.#program.unlessGone(begun));
    this.#sending = sent.catch(() => {}); // for whoever cancels
    return sent;
  }

  /** Droid would make a turn of its own of what comes after the end, and nobody would know whose that is. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    if (this.#turn.hasEnded)
      throw new HalyardError("delivery_failed", "Droid has no turn under way to add this to");
    await this.#deliver(text);
    return { status: "submitted" };
  }

  async cancel(): Promise<void> {
    await this.#sending;
    await this.#ask("interrupt_session", {});
  }

  async configure(settings: Settings): Promise<void> {
    const { runtimeSessionId: sessionId } = await this.#handshake;
    if (sessionId === undefined)
      throw new HalyardError("unsupported", "Droid has no session yet: send it a message first");
    const call = (method: string, params: unknown) => this.#ask(method, params);
    this.#request = await changeSession(this.#request, settings, { sessionId, call });
  }

  /** Droid ends its turn where a tool is denied, so the reason for it is sent first, to go on with. */
  async answer(nativeId: string, answer: Answer): Promise<void> {
    const request = await this.#program.unlessGone(this.#hearing.requests.find(nativeId));
    if (request === undefined) return; // Droid has gone on without the answer
    const denial = denialOf(request, answer);
    if (denial !== undefined) await this.#deliver(denial);
    await this.#calls.reply(request.id, { result: toResult(request, answer) });
    this.#hearing.requests.settle(nativeId);
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
    await Promise.race([interrupted, limit]).catch(() => {}); // it ends either way
    timer.abort();
    limit.catch(() => {}); // that was the purpose
    interrupted.catch(() => {}); // as above
    await this.#program.terminate();
  }

  async #shakeHands(source: ModelSource): Promise<Handshake> {
    const runtimeSessionId = await openSession({
      request: this.#request,
      source,
      call: (method, params) => this.#calls.call(method, params),
      spokenOf: () => this.#hearing.sessionId,
    });
    return { runtimeSessionId, resumable: true, pid: this.#program.pid };
  }

  async #takeUp(): Promise<Handshake> {
    if (await this.#program.isDead())
      throw new HalyardError("lost", "Droid has ended in the meantime");
    await this.#program.write("\n"); // whoever wrote before us may not have got to the end of a line
    const runtimeSessionId = this.#request.attach?.runtimeSessionId;
    const { pid } = this.#program;
    return { ...(runtimeSessionId !== undefined && { runtimeSessionId }), pid };
  }

  async #deliver(text: string, messageId: string = randomUUID()): Promise<void> {
    this.#turn.wrote(messageId);
    try {
      await this.#ask("add_user_message", { text, messageId }, toRequestId(messageId));
    } catch (error) {
      this.#turn.dropped(messageId); // what Droid refused is out of the way already
      throw error;
    }
  }

  #interrupt(): void {
    this.#calls.call("interrupt_session", {}).catch(() => {}); // whoever cannot be interrupted has ended
  }

  #decline(nativeId: string): void {
    this.#hearing.requests
      .find(nativeId)
      .then((request) => request && this.answer(nativeId, answerInPlan(request)))
      .catch(() => {}); // whoever cannot be answered has ended
  }

  #refuse(id: string): void {
    const error = { code: METHOD_NOT_FOUND, message: "Halyard does not know this request" };
    this.#calls.reply(id, { error }).catch(() => {}); // as above
  }

  async #ask(method: string, params: unknown, id?: string): Promise<unknown> {
    try {
      return await this.#calls.call(method, params, id);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      throw new HalyardError("delivery_failed", error.message, { cause: error });
    }
  }
}

/** Long enough for a program that still listens. */
const INTERRUPT_MS = 500;
