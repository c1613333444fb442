import { randomInt } from "node:crypto";
import { z } from "zod";
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
import type { InputWay } from "../../schema/runtime.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../wire/json-rpc.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../wire/json-rpc-error.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Activity } from "./activity.ts";
import { createMapper } from "./events.ts";
import { OpenRequests } from "./open-requests.ts";
import { openThread } from "./open-thread.ts";
import { ServerRequest } from "./server-requests.ts";
import { settingsChange } from "./thread.ts";

const TurnAnswer = z.looseObject({ turn: z.looseObject({ id: z.string() }) });

const Terminals = z.looseObject({
  data: z.array(z.looseObject({ itemId: z.string(), processId: z.string() })),
});

export interface CodexConnectionOptions {
  /** The model provider's name in Codex's settings. */
  readonly provider?: string;
  /** How requests reach the server. Defaults to `rpc`, as on a screen. */
  readonly input?: InputWay;
  /** Called when Codex is there, and has no thread yet. */
  onIntroduced?(): Promise<void>;
  /** Called when Codex has been ended. */
  onEnded?(): Promise<void>;
  /** Does what is left to do once the thread is there, before the session is ready. */
  onOpen?(
    threadId: string,
    ask: (method: string, params: unknown) => Promise<unknown>,
  ): Promise<void>;
}

/** A running `codex app-server` with one thread, which is the session. */
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
  /** The thread's, where it is known. */
  #model: string | undefined;
  /** The message on its way. */
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
      defaultTimeoutMs: Number.POSITIVE_INFINITY, // the core's watchdogs know best
      send: (message) => this.#program.write(toJsonLine(message)),
      onRequest: (method, params, id) => this.#asked({ method, params, id }),
      onNotification: (method, params) => this.#settled(method, params),
    });
    this.output = this.#program.output({
      runtime: "codex",
      mapper: createMapper({ mainThread: () => this.#threadId }),
      onMessage: (message) => this.#hear(message),
      onEnd: (reason) => this.#peer.close(reason),
    });
    this.#onEnded = options.onEnded;
    this.#handshake = this.#shakeHands(request, options);
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send({ turnId, text }: TurnInput): Promise<Receipt> {
    const sent = this.#startTurn(turnId, text);
    this.#sending = sent.catch(() => {}); // for whoever cancels
    return sent;
  }

  async steer({ turnId, text }: TurnInput): Promise<Receipt> {
    const threadId = this.#thread();
    const expectedTurnId = this.#activity.turnOf(threadId);
    if (expectedTurnId === undefined)
      throw new HalyardError("delivery_failed", "Codex has no turn under way to add to");
    await this.#steer({ threadId, expectedTurnId, clientUserMessageId: turnId }, text);
    return { status: "submitted" };
  }

  /** Codex leaves the commands of a turn running that it breaks off, and its sub-agents at work. */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#sending);
    const { turns } = this.#activity;
    await Promise.all(turns.map((turn) => this.#interrupt(turn)));
    await Promise.all(turns.map((turn) => this.#endCommands(turn)));
  }

  async configure(settings: Settings): Promise<void> {
    const { model = this.#model, ...others } = settings;
    if (model === undefined && settings.plan !== undefined)
      throw new HalyardError("unsupported", "Codex plans with a model by name: give one along");
    const request = { ...this.#request, ...others };
    const change = settingsChange(settings, request, model ?? "");
    await this.#ask("thread/settings/update", { threadId: this.#thread(), ...change });
    this.#model = model;
    this.#request = request;
  }

  /** A decision has no room for words, so the reason for a denial goes in beside it, before the model can go on. */
  async answer(nativeId: string, answer: Answer): Promise<void> {
    const request = this.#requests.find(nativeId);
    if (request === undefined) return; // Codex has gone on without the answer
    const { threadId, turnId } = request.params;
    const isDenied = answer.decision === "deny" && answer.optionId !== "cancel" && answer.text;
    if (isDenied && turnId && request.method !== "item/tool/requestUserInput") {
      const text = `Permission denied: ${answer.text}`;
      await this.#steer({ threadId, expectedTurnId: turnId }, text).catch(() => {}); // the denial is what counts
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

  async #shakeHands(request: ConnectRequest, options: CodexConnectionOptions): Promise<Handshake> {
    const { pid } = this.#program;
    if (request.attach) await this.#program.write("\n"); // whoever wrote before us may not have got to the end of a line
    const isKnown = this.#threadId !== undefined;
    const runtimeSessionId = this.#threadId ?? (await this.#openThread(request, options));
    await options.onOpen?.(runtimeSessionId, (method, params) => this.#ask(method, params));
    const { input = "rpc" } = options;
    if (isKnown) return { runtimeSessionId, pid, input };
    return { runtimeSessionId, resumable: request.resume !== undefined, pid, input };
  }

  async #openThread(
    request: ConnectRequest,
    { provider = "", onIntroduced }: CodexConnectionOptions,
  ): Promise<string> {
    const { threadId, model } = await openThread(request, {
      provider,
      ...(onIntroduced && { onIntroduced }),
      ask: (method, params) => this.#ask(method, params),
      notify: (method) => this.#peer.notify(method),
    });
    this.#threadId = threadId;
    this.#model ??= model;
    return threadId;
  }

  async #startTurn(clientUserMessageId: string, text: string): Promise<Receipt> {
    const params = { threadId: this.#thread(), clientUserMessageId, input: toInput(text) };
    const answer = TurnAnswer.parse(await this.#ask("turn/start", params));
    await this.#program.unlessGone(this.#activity.begun(answer.turn.id));
    return { status: "confirmed" };
  }

  #steer(to: Readonly<Record<string, string>>, text: string): Promise<unknown> {
    return this.#ask("turn/steer", { ...to, input: toInput(text) });
  }

  /** One that comes too late is refused, or gets no answer at all. */
  async #interrupt(turn: { threadId: string; turnId: string }): Promise<void> {
    const asked = this.#ask("turn/interrupt", turn);
    try {
      await Promise.race([asked, this.#activity.ended(turn.turnId)]);
    } catch (error) {
      if (this.#activity.turnOf(turn.threadId) === turn.turnId) throw error;
    }
  }

  /** Those of turns that ended before are left alone: the agent may have meant them to stay. */
  async #endCommands({ threadId, turnId }: { threadId: string; turnId: string }): Promise<void> {
    const { data } = Terminals.parse(
      await this.#ask("thread/backgroundTerminals/list", { threadId }),
    );
    const ours = data.filter(({ itemId }) => !this.#activity.isLeftBehind(itemId, turnId));
    await Promise.all(
      ours.map(({ processId }) =>
        this.#ask("thread/backgroundTerminals/terminate", { threadId, processId }),
      ),
    );
  }

  #hear(message: unknown): void {
    this.#activity.hear(message);
    this.#peer.receive(message);
  }

  #asked(message: { method: string; params: unknown; id: string | number }): Promise<unknown> {
    const { data: request } = ServerRequest.safeParse(message);
    if (request) return this.#requests.open(request);
    throw new JsonRpcError(METHOD_NOT_FOUND, `Halyard does not know ${message.method}`);
  }

  #settled(method: string, params: unknown): void {
    if (method !== "serverRequest/resolved") return;
    if (typeof params !== "object" || params === null || !("requestId" in params)) return;
    this.#requests.forget(String(params.requestId));
  }

  async #ask(method: string, params: unknown): Promise<unknown> {
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
    throw new HalyardError("delivery_failed", "Codex is not ready yet");
  }
}

/** What Codex says to a message that is too long. */
const INVALID_PARAMS = -32602;

function toInput(text: string) {
  return [{ type: "text", text }];
}
