import { randomInt } from "node:crypto";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../core/adapter.ts";
import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { type EventDraft, warning } from "../../core/draft.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import { NativeProgram } from "../../core/native-program.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../wire/json-rpc.ts";
import { readJsonRpc } from "../../wire/json-rpc-message.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Client } from "./client.ts";
import type { ClientTerminals } from "./client-terminals.ts";
import { AcpMapper, PROMPTS_FROM } from "./events.ts";
import { failureOf } from "./failure.ts";
import { readError } from "./messages.ts";
import { openAgent } from "./open-agent.ts";
import { decide } from "./policy.ts";
import { keepOpened, keepPrompt, type OpenedSession, type RunState } from "./run-state.ts";

export interface AcpParts {
  readonly runtime: RuntimeName;
  readonly process: HostProcess;
  readonly request: ConnectRequest;
  readonly terminals: ClientTerminals;
  /** What is known of an agent that was found again. */
  readonly known: RunState;
}

/** A running ACP agent with one session. */
export class AcpConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #parts: AcpParts;
  readonly #program: NativeProgram;
  readonly #peer: JsonRpcPeer;
  readonly #mapper: AcpMapper;
  readonly #client: Client;
  readonly #handshake: Promise<Handshake>;
  /** What the agent makes of the prompts that somebody waits for. */
  readonly #accepted = new Map<string, Deferred<HalyardError | undefined>>();
  /** To be told with what comes next. */
  readonly #notices: EventDraft[] = [];
  #opened: OpenedSession | undefined;
  #nextPrompt = PROMPTS_FROM + 1;
  /** Words for the session's first message, for an agent that takes no instructions. */
  #preamble = "";
  #sending: Promise<unknown> = Promise.resolve();
  #isNew = true;

  constructor(parts: AcpParts) {
    const { runtime, process, request, terminals, known } = parts;
    this.#parts = parts;
    this.#program = new NativeProgram(process, request);
    this.#opened = known.opened;
    this.#mapper = new AcpMapper({
      isOpen: () => this.#opened !== undefined,
      session: () => this.#opened?.sessionId,
      canResume: () => this.#opened?.agreement.resumeBy !== undefined,
      awaits: (id) => this.#accepted.has(String(id)),
      isDecided: (tool) => decide(request, tool) !== undefined,
      isSettled: (toolCallId) => this.#client.isSettled(toolCallId),
      terminal: (id) => terminals.find(id),
    });
    this.#client = new Client({
      request,
      terminals,
      coveredBy: (change) => this.#mapper.coveredBy(change),
      toolFor: (asked) => this.#mapper.toolFor(asked),
    });
    this.#peer = createJsonRpcPeer({
      firstId: request.attach ? randomInt(PROMPTS_FROM / 2) : 1,
      defaultTimeoutMs: Number.POSITIVE_INFINITY, // the core's watchdogs know best
      send: (message) => this.#program.write(toJsonLine(message)),
      onRequest: (method, params, id) =>
        this.#client.handle(method, params, id, { isNew: this.#isNew }),
    });
    if (known.prompt) {
      this.#nextPrompt = known.prompt.promptId + 1;
      this.#mapper.begin(known.prompt.turn, known.prompt.promptId);
    }
    const stream = this.#program.output({
      runtime,
      mapper: this.#mapper,
      onMessage: (message, isNew) => this.#hear(message, isNew),
      onEnd: (reason) => this.#peer.close(reason),
    });
    this.output = this.#withNotices(stream);
    this.#handshake = this.#shakeHands();
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send(input: TurnInput): Promise<Receipt> {
    const sent = this.#prompt(input);
    this.#sending = sent.catch(() => {}); // for whoever cancels
    return sent;
  }

  async steer(): Promise<Receipt> {
    throw new HalyardError("unsupported", "ACP has no word for adding to a turn under way");
  }

  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#sending);
    await this.#peer.notify("session/cancel", { sessionId: this.#session().sessionId });
    this.#client.close();
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    this.#client.answer(nativeId, answer);
  }

  async detach(): Promise<void> {
    await Promise.all([this.#program.detach(), this.#parts.terminals.detach()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#program.terminate(), this.#parts.terminals.end()]);
  }

  async #shakeHands(): Promise<Handshake> {
    const { request, process } = this.#parts;
    if (request.attach) await this.#program.write("\n"); // whoever wrote before us may not have got to the end of a line
    if (this.#opened) return this.#handshakeOf(this.#opened);
    if (request.attach)
      throw new HalyardError("lost", "the agent runs, but the session had not been started in it");
    const { warnings, preamble, ...opened } = await openAgent(request, process, this.#peer);
    await keepOpened(request.runDir, opened);
    this.#opened = opened;
    this.#preamble = preamble;
    for (const text of warnings) this.#notices.push(warning(text));
    return this.#handshakeOf(opened);
  }

  #handshakeOf({ sessionId, agreement }: OpenedSession): Handshake {
    const { request } = this.#parts;
    return {
      runtimeSessionId: sessionId,
      ...(!request.attach && { resumable: request.resume !== undefined }),
      pid: this.#program.pid,
      protocol: { name: "ACP", version: agreement.version },
      agent: agreement.agent,
    };
  }

  async #prompt({ turnId, text }: TurnInput): Promise<Receipt> {
    const { sessionId, agreement } = this.#session();
    const promptId = this.#nextPrompt++;
    await keepPrompt(this.#parts.request.runDir, { turn: turnId, promptId });
    this.#client.close();
    this.#mapper.begin(turnId, promptId);
    const words = this.#preamble + text;
    this.#preamble = "";
    const params = { sessionId, prompt: [{ type: "text", text: words }] };
    const message = { jsonrpc: "2.0", id: promptId, method: "session/prompt", params } as const;
    if (agreement.version === 1) {
      await this.#program.write(toJsonLine(message));
      return { status: "submitted" };
    }
    const accepted = createDeferred<HalyardError | undefined>();
    this.#accepted.set(String(promptId), accepted);
    try {
      await this.#program.write(toJsonLine(message));
      const refusal = await this.#program.unlessGone(accepted.promise);
      if (refusal) throw refusal;
      return { status: "confirmed" };
    } finally {
      this.#accepted.delete(String(promptId));
    }
  }

  #hear(message: unknown, isNew: boolean): void {
    this.#isNew = isNew;
    this.#peer.receive(message);
    if (this.#accepted.size === 0) return;
    const received = readJsonRpc(message);
    if (received.kind === "result") this.#accepted.get(String(received.id))?.resolve(undefined);
    if (received.kind === "failure")
      this.#accepted.get(String(received.id))?.resolve(refusalOf(received.error));
  }

  async *#withNotices(
    stream: AsyncIterable<readonly Output[]>,
  ): AsyncGenerator<readonly Output[], void, undefined> {
    for await (const batch of stream) {
      const drafts = this.#notices.splice(0);
      yield drafts.length === 0 ? batch : [{ drafts }, ...batch];
    }
  }

  #session(): OpenedSession {
    if (this.#opened) return this.#opened;
    throw new HalyardError("delivery_failed", "the agent is not ready yet");
  }
}

function refusalOf(error: unknown): HalyardError {
  const { code, message } = failureOf(readError(error));
  return new HalyardError(code === "agent_failed" ? "delivery_failed" : code, message);
}
