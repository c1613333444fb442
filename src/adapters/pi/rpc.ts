import { randomUUID } from "node:crypto";
import { z } from "zod";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  Settings,
  TurnInput,
} from "../../core/adapter.ts";
import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import { NativeProgram } from "../../core/native-program.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { PendingReplies } from "../../wire/pending-replies.ts";
import { codeOf } from "./completion.ts";
import { dialogAnswer } from "./dialog.ts";
import { createMapper } from "./events.ts";
import { PiMessage } from "./messages.ts";
import { notSignedIn } from "./model.ts";
import { pickModel } from "./pick-model.ts";
import type { Where } from "./plan-tools.ts";
import { type ModelName, rulesFor } from "./policy.ts";
import { sayWhenResumable } from "./resumable.ts";
import { rpcFilesOf, writeRules } from "./rpc-files.ts";
import { type RpcOptions, startRpc } from "./rpc-process.ts";

/** Starts `pi --mode rpc`, or takes hold of the one that runs. */
export async function connectRpc(
  request: ConnectRequest,
  options: RpcOptions,
): Promise<Connection> {
  return new RpcConnection(await startRpc(request, options), request, options);
}

type Dialog = Extract<PiMessage, { type: "extension_ui_request" }>;
type Reply = Extract<PiMessage, { type: "response" }>;

const State = z.looseObject({
  sessionId: z.string(),
  isStreaming: z.boolean(),
  /** Without a key for any model Pi goes by one of an `unknown` provider. */
  model: z.looseObject({ provider: z.string() }).optional(),
});

const Models = z.looseObject({
  models: z.array(z.looseObject({ provider: z.string(), id: z.string(), name: z.string() })),
});

class RpcConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #where: Where;
  readonly #replies = new PendingReplies<Reply>();
  readonly #dialogs = new Map<string, Dialog>();
  readonly #handshake: Promise<Handshake>;
  #request: ConnectRequest;
  /** Another than it was started with. */
  #model: ModelName | undefined;
  #sessionId: string | undefined;
  /** Kept once the run that was asked for last has begun, or came to nothing. */
  #begun: Deferred<Receipt> = createDeferred();
  #isAccepted = false;
  /** A run is under way, or will be as soon as Pi has waited before it tries again. */
  #isRunning = false;
  /** Kept once Pi has said whatever follows from the end of a run. */
  #settled: Promise<void> = Promise.resolve();
  /** Kept once Pi has put its history in order, which it does between two turns. */
  #compacted: Deferred<void> = createDeferred();

  constructor(process: HostProcess, request: ConnectRequest, { env }: RpcOptions) {
    const { attach, resume } = request;
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    const { agentDir } = rpcFilesOf(request);
    this.#where = { PATH: request.env.PATH ?? env.PATH, agentDir };
    this.#sessionId = attach?.runtimeSessionId;
    this.#begun.resolve({ status: "confirmed" });
    this.#compacted.resolve();
    const mapper = createMapper();
    this.output = this.#program.output({
      runtime: "pi",
      mapper: resume === undefined ? sayWhenResumable(mapper, () => this.#sessionId) : mapper,
      onMessage: (message) => this.#hear(message),
      onEnd: (reason) => this.#replies.close(reason),
    });
    this.#handshake = this.#shakeHands();
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send({ text }: TurnInput): Promise<Receipt> {
    const begun = createDeferred<Receipt>();
    this.#begun = begun;
    this.#isAccepted = false;
    try {
      await this.#settled;
      await this.#program.unlessGone(this.#compacted.promise);
      await this.#ask({ type: "prompt", message: text });
    } catch (error) {
      begun.resolve({ status: "submitted" });
      throw error;
    }
    // One of the user's extensions may take it for a command, and then no run begins.
    if (text.startsWith("/")) void this.#nudge();
    return this.#program.unlessGone(begun.promise);
  }

  /** Without a run Pi would keep it for the next one. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    if (!this.#isRunning)
      throw new HalyardError("delivery_failed", "Pi has no turn under way to add this to");
    await this.#ask({ type: "steer", message: text });
    return { status: "submitted" };
  }

  /** An abort before the run has begun would go unnoticed. */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#begun.promise);
    await this.#ask({ type: "abort" });
  }

  /** Our extension reads it with the next message, whoever sends that. */
  async configure({ model, ...policy }: Settings): Promise<void> {
    if (model !== undefined) this.#model = await this.#findModel(model);
    this.#request = { ...this.#request, ...policy };
    const rules = await rulesFor(this.#request, this.#where, this.#model);
    await writeRules(rpcFilesOf(this.#request), rules);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    const dialog = this.#dialogs.get(nativeId);
    if (dialog === undefined)
      throw new HalyardError("request_not_found", `Pi does not wait for an answer to ${nativeId}`);
    this.#dialogs.delete(nativeId);
    await this.#program.write(toJsonLine(dialogAnswer(dialog, answer)));
  }

  detach(): Promise<void> {
    return this.#program.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program.terminate();
  }

  async #shakeHands(): Promise<Handshake> {
    const { data } = await this.#ask({ type: "get_state" }).catch((error: Error) => {
      throw codeOf(error.message) === "not_signed_in" ? notSignedIn() : error;
    });
    const { sessionId: runtimeSessionId, model } = State.parse(data);
    if (model === undefined || model.provider === "unknown") throw notSignedIn();
    const { resume } = this.#request;
    if (resume !== undefined && runtimeSessionId !== resume)
      throw new HalyardError("runtime_session_not_found", `Pi resumed ${runtimeSessionId} instead`);
    return { runtimeSessionId, resumable: resume !== undefined, pid: this.#program.pid };
  }

  async #findModel(wanted: string): Promise<ModelName> {
    const { data } = await this.#ask({ type: "get_available_models" });
    const { provider, id } = pickModel(Models.parse(data).models, wanted);
    return { provider, id };
  }

  /** The hot path: most of what comes is of no interest here. */
  #hear(message: unknown): void {
    if (typeof message !== "object" || message === null || !("type" in message)) return;
    switch (message.type) {
      case "agent_start":
        this.#isRunning = true;
        this.#begun.resolve({ status: "confirmed" });
        break;
      case "auto_retry_start":
        this.#isRunning = true;
        break;
      case "agent_end":
        this.#isRunning = false;
        this.#dialogs.clear();
        this.#settled = this.#nudge();
        break;
      case "compaction_start":
        this.#compacted = createDeferred();
        break;
      case "compaction_end":
        this.#compacted.resolve();
        break;
      case "response":
      case "extension_ui_request":
        this.#take(PiMessage.safeParse(message).data);
        break;
    }
  }

  #take(message: PiMessage | undefined): void {
    if (message?.type === "extension_ui_request") this.#dialogs.set(message.id, message);
    if (message?.type !== "response") return;
    if (message.command === "prompt") this.#isAccepted = message.success;
    if (message.command === "get_state") this.#noteState(message.data);
    if (message.id !== undefined) this.#replies.resolve(message.id, message);
  }

  #noteState(data: unknown): void {
    const { data: state } = State.safeParse(data);
    if (state === undefined) return;
    this.#sessionId = state.sessionId;
    if (this.#isAccepted && !state.isStreaming) this.#begun.resolve({ status: "submitted" });
  }

  /** Has Pi say one more thing, for the mapper to see what does not follow. */
  async #nudge(): Promise<void> {
    await this.#ask({ type: "get_state" }).catch(() => {}); // whoever cannot be nudged has ended, and that is told
  }

  async #ask(command: { type: string; message?: string }): Promise<Reply> {
    const id = randomUUID();
    const line = toJsonLine({ id, ...command });
    const reply = await this.#replies.expect(id, () => this.#program.write(line));
    const { success, error = "Pi refused the message" } = reply;
    if (success) return reply;
    const code = codeOf(error) === "not_signed_in" ? "not_signed_in" : "delivery_failed";
    throw new HalyardError(code, error);
  }
}
