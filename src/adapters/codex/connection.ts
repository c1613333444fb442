import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
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
import type { SlashCommand } from "../../schema/conversation/slash-command.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import type { InputWay } from "../../schema/runtime.ts";
import { backoffMs } from "../../wire/backoff.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../wire/json-rpc.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../wire/json-rpc-error.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Activity } from "./events/activity.ts";
import { createMapper } from "./events/events.ts";
import { BackgroundTerminals } from "./events/screen-answers.ts";
import { openThread } from "./open-thread.ts";
import { OpenRequests } from "./requests/open-requests.ts";
import { type RequestOf, ServerRequest } from "./requests/server-requests.ts";
import { settingsChange } from "./thread.ts";
import { codexCommands, type MessageContent, toInput, turnRequest } from "./turn-request.ts";

const TurnResponse = z.looseObject({ turn: z.looseObject({ id: z.string() }) });

/** Options for a connection to an app server. */
export interface CodexConnectionOptions {
  /** The model provider's name in Codex's settings. */
  readonly provider?: string;
  /** How requests are sent to the server. Defaults to `rpc`, which sessions on a screen use. */
  readonly input?: InputWay;
  /** Called after the initialization, before a thread exists. */
  onInitialized?(): Promise<void>;
  /** Called after Codex has been terminated. */
  onEnded?(): Promise<void>;
  /** Called after the thread is opened, before the session is ready. */
  onOpen?(
    threadId: string,
    call: (method: string, params: unknown) => Promise<unknown>,
  ): Promise<void>;
}

/** The connection to a running `codex app-server`. The session is one of its threads. */
export class CodexConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #peer: JsonRpcPeer;
  readonly #activity = new Activity();
  readonly #requests = new OpenRequests();
  readonly #handshake: Promise<Handshake>;
  readonly #onEnded: CodexConnectionOptions["onEnded"];
  #request: ConnectRequest;
  #threadId: string | undefined;
  /** The thread's model, if known. */
  #model: string | undefined;
  /** Resolves when Codex has accepted or rejected the last message or compaction. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(process: HostProcess, request: ConnectRequest, options: CodexConnectionOptions = {}) {
    const { attach } = request;
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    this.#threadId = attach?.runtimeSessionId;
    this.#model = request.model?.id;
    this.#peer = createJsonRpcPeer({
      jsonrpc: false,
      firstId: attach ? randomInt(2 ** 40) : 1,
      defaultTimeoutMs: Number.POSITIVE_INFINITY, // no timeout here, because the session's limits apply
      send: (message) => this.#program.write(toJsonLine(message)),
      onRequest: (method, params, id) => this.#onRequest({ method, params, id }),
      onNotification: (method, params) => this.#onNotification(method, params),
    });
    this.output = this.#program.output({
      runtime: "codex",
      mapper: createMapper({ mainThread: () => this.#threadId }),
      onMessage: (message) => this.#onNativeMessage(message),
      onEnd: (reason) => this.#peer.close(reason),
    });
    this.#onEnded = options.onEnded;
    this.#handshake = this.#performHandshake(request, options);
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send(input: TurnInput): Promise<Receipt> {
    const sent = this.#startTurn(input);
    this.#sending = sent.catch(() => {}); // cancel() waits for the message
    return sent;
  }

  async steer(input: TurnInput): Promise<Receipt> {
    const threadId = this.#thread();
    const expectedTurnId = this.#activity.turnOf(threadId);
    if (expectedTurnId === undefined)
      throw new HalyardError(
        "delivery_failed",
        "Codex has no active turn. Send the message as a new turn.",
      );
    const to = { threadId, expectedTurnId, clientUserMessageId: input.turnId };
    await this.#steer(to, input);
    return { status: "submitted" };
  }

  async compact(): Promise<Receipt> {
    const sent = this.#call("thread/compact/start", { threadId: this.#thread() });
    this.#sending = sent.catch(() => {}); // cancel() waits for the request
    await sent;
    return { status: "submitted" };
  }

  async commands(): Promise<readonly SlashCommand[]> {
    return codexCommands;
  }

  /** Interrupts all turns and stops their commands. Codex itself leaves a turn's commands and subagents running. */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#sending);
    const { turns } = this.#activity;
    await Promise.all(turns.map((turn) => this.#interrupt(turn)));
    await Promise.all(turns.map((turn) => this.#stopCommands(turn)));
  }

  async configure(settings: ConnectionSettings): Promise<void> {
    const { model = this.#model, ...others } = settings;
    if (model === undefined && settings.plan !== undefined)
      throw new HalyardError(
        "unsupported",
        "Codex needs the name of a model to change plan mode. Set the model in the same request.",
      );
    const request = { ...this.#request, ...others };
    const change = settingsChange(settings, request, model ?? "");
    await this.#call("thread/settings/update", { threadId: this.#thread(), ...change });
    this.#model = model;
    this.#request = request;
  }

  /** Answers a request. Sends the reason for a denial first, as a steering message, because a decision contains no text. */
  async answer(nativeId: string, answer: Answer): Promise<void> {
    const request = this.#requests.find(nativeId);
    if (request === undefined) return; // Codex no longer waits for the answer
    const { threadId, turnId } = request.params;
    const isDenied = answer.decision === "deny" && answer.optionId !== "cancel" && answer.text;
    if (isDenied && turnId && request.method !== "item/tool/requestUserInput") {
      const text = `Permission denied: ${answer.text}`;
      // the denial is sent even if this message fails
      await this.#steer({ threadId, expectedTurnId: turnId }, { text }).catch(() => {});
    }
    this.#requests.answer(nativeId, answer);
  }

  detach(): Promise<void> {
    return this.#program.detach();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.terminate();
    await this.#onEnded?.();
  }

  async #performHandshake(
    request: ConnectRequest,
    options: CodexConnectionOptions,
  ): Promise<Handshake> {
    const { pid } = this.#program;
    if (request.attach) await this.#program.write("\n"); // ends a partial line that the previous owner may have written
    const isKnown = this.#threadId !== undefined;
    const runtimeSessionId = this.#threadId ?? (await this.#openThread(request, options));
    await options.onOpen?.(runtimeSessionId, (method, params) => this.#call(method, params));
    const { input = "rpc" } = options;
    if (isKnown) return { runtimeSessionId, pid, input };
    const resumable = (request.resume ?? request.fork) !== undefined;
    return { runtimeSessionId, resumable, pid, input };
  }

  async #openThread(
    request: ConnectRequest,
    { provider = "", onInitialized }: CodexConnectionOptions,
  ): Promise<string> {
    const { threadId, model } = await openThread(request, {
      provider,
      ...(onInitialized && { onInitialized }),
      call: (method, params) => this.#call(method, params),
      notify: (method) => this.#peer.notify(method),
    });
    this.#threadId = threadId;
    this.#model ??= model;
    return threadId;
  }

  async #startTurn(input: TurnInput): Promise<Receipt> {
    const { method, params } = turnRequest(input);
    const request = { threadId: this.#thread(), ...params };
    const answer = TurnResponse.parse(await this.#call(method, request));
    await this.#program.unlessGone(this.#activity.started(answer.turn.id));
    return { status: "confirmed" };
  }

  #steer(to: Readonly<Record<string, string>>, input: MessageContent): Promise<unknown> {
    return this.#call("turn/steer", { ...to, input: toInput(input) });
  }

  /** Interrupts a turn. Ignores a rejected or unanswered interrupt if the turn has already ended. */
  async #interrupt(turn: { threadId: string; turnId: string }): Promise<void> {
    const interrupted = this.#call("turn/interrupt", turn);
    try {
      await Promise.race([interrupted, this.#activity.ended(turn.turnId)]);
    } catch (error) {
      if (this.#activity.turnOf(turn.threadId) === turn.turnId) throw error;
    }
  }

  /** Stops the turn's commands. Commands of earlier turns keep running, because the agent may need them. */
  async #stopCommands({ threadId, turnId }: { threadId: string; turnId: string }): Promise<void> {
    const data = await this.#listCommands(threadId);
    const commands = data.filter(({ itemId }) => !this.#activity.isFromEarlierTurn(itemId, turnId));
    await Promise.all(
      commands.map(({ processId }) =>
        this.#call("thread/backgroundTerminals/terminate", { threadId, processId }),
      ),
    );
  }

  async #listCommands(threadId: string) {
    const answer = await this.#call("thread/backgroundTerminals/list", { threadId });
    return BackgroundTerminals.parse(answer).data;
  }

  /**
   * Polls the list of commands until this command runs or ends. The mapper reads the user's approval from that list.
   */
  async #waitForCommand({
    params,
  }: RequestOf<"item/commandExecution/requestApproval">): Promise<void> {
    const { threadId, turnId, itemId } = params;
    const isOpen = () =>
      this.#activity.turnOf(threadId) === turnId && this.#activity.isOpen(itemId);
    for (let attempt = 0; isOpen(); attempt++) {
      const commands = await this.#listCommands(threadId);
      if (commands.some((command) => command.itemId === itemId)) return;
      await sleep(backoffMs(attempt, POLLING), undefined, { ref: false });
    }
  }

  #onNativeMessage(message: unknown): void {
    this.#activity.onMessage(message);
    this.#peer.receive(message);
  }

  #onRequest(message: { method: string; params: unknown; id: string | number }): Promise<unknown> {
    const { data: request } = ServerRequest.safeParse(message);
    if (request) return this.#requests.open(request);
    throw new JsonRpcError(METHOD_NOT_FOUND, `Halyard does not support ${message.method}.`);
  }

  #onNotification(method: string, params: unknown): void {
    if (method !== "serverRequest/resolved") return;
    if (typeof params !== "object" || params === null || !("requestId" in params)) return;
    const request = this.#requests.forget(String(params.requestId));
    if (request?.method === "item/commandExecution/requestApproval")
      // an error is ignored, because the command's result also shows whether the user allowed it
      void this.#waitForCommand(request).catch(() => {});
  }

  async #call(method: string, params: unknown): Promise<unknown> {
    try {
      return await this.#peer.request(method, params);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      const code = error.code === INVALID_PARAMS ? "invalid_input" : "delivery_failed";
      throw new HalyardError(code, error.message, { cause: error });
    }
  }

  #thread(): string {
    if (this.#threadId !== undefined) return this.#threadId;
    throw new HalyardError(
      "delivery_failed",
      "Codex is not ready yet. Wait until the session is ready, and try again.",
    );
  }
}

/** The delays between polls for a command that the user may have allowed. */
const POLLING = { baseMs: 20, maxMs: 1_000 };

/** JSON-RPC's code for invalid parameters, which Codex returns if a message is too long. */
const INVALID_PARAMS = -32602;
