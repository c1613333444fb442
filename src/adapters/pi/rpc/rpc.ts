import { randomUUID } from "node:crypto";
import { z } from "zod";
import { NativeProgram } from "../../../adapter-kit/native-program.ts";
import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import type {
  Connection,
  ConnectionSettings,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../../contracts/adapter.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { parseInput } from "../../../errors/parse-input.ts";
import { requestNotOpen } from "../../../errors/request-not-open.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import type { Answer } from "../../../schema/permission.ts";
import { PiOptions } from "../../../schema/runtimes/runtime-options.ts";
import { toJsonLine } from "../../../wire/ndjson.ts";
import { PendingReplies } from "../../../wire/pending-replies.ts";
import { dialogAnswer } from "../dialog.ts";
import { codeOf } from "../events/completion.ts";
import { createMapper } from "../events/events.ts";
import type { PiPaths } from "../find.ts";
import { PiMessage } from "../messages.ts";
import { notSignedIn, piImages } from "../model/model.ts";
import { pickModel } from "../model/pick-model.ts";
import type { ToolPaths } from "../plan-tools.ts";
import { type ModelName, rulesFor } from "../policy.ts";
import { reportWhenResumable } from "../resumable.ts";
import { rpcFilesOf, writeRules } from "./files.ts";
import { startRpc } from "./process.ts";

/** Starts `pi --mode rpc`, or attaches to the running process, and returns the connection. */
export async function connectRpc(request: ConnectRequest, options: PiPaths): Promise<Connection> {
  return new RpcConnection(await startRpc(request, options), request, options);
}

type Dialog = Extract<PiMessage, { type: "extension_ui_request" }>;
type Reply = Extract<PiMessage, { type: "response" }>;

const State = z.looseObject({
  sessionId: z.string(),
  isStreaming: z.boolean(),
  /** The current model. If there is no key at all, Pi reports a model from an `unknown` provider. */
  model: z.looseObject({ provider: z.string() }).optional(),
});

const Models = z.looseObject({
  models: z.array(z.looseObject({ provider: z.string(), id: z.string(), name: z.string() })),
});

class RpcConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #toolPaths: ToolPaths;
  readonly #replies = new PendingReplies<Reply>();
  readonly #dialogs = new Map<string, Dialog>();
  readonly #handshake: Promise<Handshake>;
  #request: ConnectRequest;
  /** The current model, if it differs from the first model. */
  #model: ModelName | undefined;
  #sessionId: string | undefined;
  /** Resolves when the last requested run has started or failed. */
  #started: Deferred<Receipt> = createDeferred();
  #isAccepted = false;
  /** True if a run is active or Pi waits before a retry. */
  #isRunning = false;
  /** Resolves when Pi has sent all messages that follow the end of a run. */
  #settled: Promise<void> = Promise.resolve();
  /** Resolves when Pi has finished a compaction, which it runs between two turns. */
  #compacted: Deferred<void> = createDeferred();

  constructor(process: HostProcess, request: ConnectRequest, { env }: PiPaths) {
    const { attach, resume } = request;
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    const { agentDir } = rpcFilesOf(request);
    this.#toolPaths = { PATH: request.env.PATH ?? env.PATH, agentDir };
    this.#sessionId = attach?.runtimeSessionId;
    this.#started.resolve({ status: "confirmed" });
    this.#compacted.resolve();
    const mapper = createMapper();
    this.output = this.#program.output({
      runtime: "pi",
      mapper: resume === undefined ? reportWhenResumable(mapper, () => this.#sessionId) : mapper,
      onMessage: (message) => this.#onNativeMessage(message),
      onEnd: (reason) => this.#replies.close(reason),
    });
    this.#handshake = this.#performHandshake();
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send(input: TurnInput): Promise<Receipt> {
    const { text } = input;
    const started = createDeferred<Receipt>();
    this.#started = started;
    this.#isAccepted = false;
    try {
      await this.#settled;
      await this.#program.unlessGone(this.#compacted.promise);
      await this.#call({ type: "prompt", message: text, ...piImages(input) });
    } catch (error) {
      started.resolve({ status: "submitted" });
      throw error;
    }
    // A user's extension may handle the message as a command, and then no run starts.
    if (text.startsWith("/")) void this.#requestState();
    return this.#program.unlessGone(started.promise);
  }

  /**
   * Starts a compaction and resolves when it has started. Pi replies at the end of the compaction, and rejects a
   * compaction that would have no effect.
   */
  async compact(): Promise<Receipt> {
    const started = createDeferred<Receipt>();
    this.#started = started;
    await this.#settled;
    const ended = this.#call({ type: "compact" }).then((): Receipt => ({ status: "submitted" }));
    return this.#program.unlessGone(Promise.race([ended, started.promise]));
  }

  /**
   * Sends a message to the active run. Rejects if no run is active, because Pi would queue the message for the next
   * run.
   */
  async steer(input: TurnInput): Promise<Receipt> {
    if (!this.#isRunning)
      throw new HalyardError(
        "delivery_failed",
        "Pi has no active turn. Send the message as a new turn.",
      );
    await this.#call({ type: "steer", message: input.text, ...piImages(input) });
    return { status: "submitted" };
  }

  /** Aborts the run. Waits until the run has started, because Pi ignores an earlier abort. */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#started.promise);
    await this.#call({ type: "abort" });
  }

  /** Writes the rules. Halyard's extension reads them with the next message, even if another process sends that message. */
  async configure({ model, ...policy }: ConnectionSettings): Promise<void> {
    if (model !== undefined) this.#model = await this.#findModel(model);
    this.#request = { ...this.#request, ...policy };
    const rules = await rulesFor(this.#request, this.#toolPaths, this.#model);
    await writeRules(rpcFilesOf(this.#request), rules);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    const dialog = this.#dialogs.get(nativeId);
    if (dialog === undefined) throw requestNotOpen(nativeId);
    this.#dialogs.delete(nativeId);
    await this.#program.write(toJsonLine(dialogAnswer(dialog, answer)));
  }

  detach(): Promise<void> {
    return this.#program.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program.terminate();
  }

  async #performHandshake(): Promise<Handshake> {
    const { data } = await this.#call({ type: "get_state" }).catch((error: Error) => {
      throw codeOf(error.message) === "not_signed_in" ? notSignedIn() : error;
    });
    const { sessionId: runtimeSessionId, model } = State.parse(data);
    if (model === undefined || model.provider === "unknown") throw notSignedIn();
    const { resume } = this.#request;
    if (resume !== undefined && runtimeSessionId !== resume)
      throw new HalyardError(
        "runtime_session_not_found",
        `Pi resumed session ${runtimeSessionId} instead of session ${resume}. Start a new session.`,
      );
    return { runtimeSessionId, resumable: resume !== undefined, pid: this.#program.pid };
  }

  async #findModel(wanted: string): Promise<ModelName> {
    const { data } = await this.#call({ type: "get_available_models" });
    const { models } = Models.parse(data);
    const { provider, id } = pickModel(
      models,
      wanted,
      parseInput(PiOptions, this.#request.options),
    );
    return { provider, id };
  }

  /** Handles a message. This is a hot path, so most messages are ignored without being parsed. */
  #onNativeMessage(message: unknown): void {
    if (typeof message !== "object" || message === null || !("type" in message)) return;
    switch (message.type) {
      case "agent_start":
        this.#isRunning = true;
        this.#started.resolve({ status: "confirmed" });
        break;
      case "auto_retry_start":
        this.#isRunning = true;
        break;
      case "agent_end":
        this.#isRunning = false;
        this.#dialogs.clear();
        this.#settled = this.#requestState();
        break;
      case "compaction_start":
        this.#compacted = createDeferred();
        this.#started.resolve({ status: "confirmed" });
        break;
      case "compaction_end":
        this.#compacted.resolve();
        break;
      case "response":
      case "extension_ui_request":
        this.#receive(PiMessage.safeParse(message).data);
        break;
    }
  }

  #receive(message: PiMessage | undefined): void {
    if (message?.type === "extension_ui_request") this.#dialogs.set(message.id, message);
    if (message?.type !== "response") return;
    if (message.command === "prompt") this.#isAccepted = message.success;
    if (message.command === "get_state") this.#updateState(message.data);
    if (message.id !== undefined) this.#replies.resolve(message.id, message);
  }

  #updateState(data: unknown): void {
    const { data: state } = State.safeParse(data);
    if (state === undefined) return;
    this.#sessionId = state.sessionId;
    if (this.#isAccepted && !state.isStreaming) this.#started.resolve({ status: "submitted" });
  }

  /** Makes Pi send one more message, from which the mapper concludes that nothing else follows. */
  async #requestState(): Promise<void> {
    await this.#call({ type: "get_state" }).catch(() => {}); // fails if Pi has exited, which the output reports
  }

  async #call(command: { type: string; message?: string; images?: unknown }): Promise<Reply> {
    const id = randomUUID();
    const line = toJsonLine({ id, ...command });
    const reply = await this.#replies.expect(id, () => this.#program.write(line));
    const { success, error = "Pi rejected the command without a reason. Try again." } = reply;
    if (success) return reply;
    const code = codeOf(error) === "not_signed_in" ? "not_signed_in" : "delivery_failed";
    throw new HalyardError(code, error);
  }
}
