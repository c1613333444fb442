import { randomInt } from "node:crypto";
import { NativeProgram } from "../../adapter-kit/native-program.ts";
import { createDeferred, type Deferred } from "../../async/deferred.ts";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../contracts/adapter.ts";
import { type EventDraft, warning } from "../../contracts/event-draft.ts";
import type { HostProcess } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../wire/json-rpc.ts";
import { readJsonRpc } from "../../wire/json-rpc-message.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Client } from "./client/client.ts";
import type { ClientTerminals } from "./client/terminals.ts";
import { AcpMapper, FIRST_PROMPT_ID } from "./events/events.ts";
import { failureOf } from "./events/failure.ts";
import { openAgent } from "./handshake/open-agent.ts";
import { readError } from "./messages.ts";
import { decide } from "./policy.ts";
import { type AgentSessionState, type RunState, saveOpened, savePrompt } from "./run-state.ts";

/** The parts of an `AcpConnection`. */
export interface AcpParts {
  readonly runtime: RuntimeName;
  readonly process: HostProcess;
  readonly request: ConnectRequest;
  readonly terminals: ClientTerminals;
  /** The state that an earlier process saved. Empty for a new agent. */
  readonly known: RunState;
}

/** The connection to a running ACP agent that serves one session. */
export class AcpConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #parts: AcpParts;
  readonly #program: NativeProgram;
  readonly #peer: JsonRpcPeer;
  readonly #mapper: AcpMapper;
  readonly #client: Client;
  readonly #handshake: Promise<Handshake>;
  /** Sent prompts that the agent has neither accepted nor rejected, by id. Version 2 only. */
  readonly #accepted = new Map<string, Deferred<HalyardError | undefined>>();
  /** Warnings that are emitted with the next output. */
  readonly #warnings: EventDraft[] = [];
  #opened: AgentSessionState | undefined;
  #nextPrompt = FIRST_PROMPT_ID + 1;
  /** Text to insert before the first message. Empty after the first message. */
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
      firstId: request.attach ? randomInt(FIRST_PROMPT_ID / 2) : 1,
      defaultTimeoutMs: Number.POSITIVE_INFINITY, // no timeout here, because the session's limits apply
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
      onMessage: (message, isNew) => this.#receive(message, isNew),
      onEnd: (reason) => this.#peer.close(reason),
    });
    this.output = this.#withWarnings(stream);
    this.#handshake = this.#open();
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send(input: TurnInput): Promise<Receipt> {
    const sent = this.#prompt(input);
    this.#sending = sent.catch(() => {}); // the caller of send() receives the error
    return sent;
  }

  async steer(): Promise<Receipt> {
    throw new HalyardError(
      "unsupported",
      "ACP has no method that adds a message to a running turn. Send the message as a new turn.",
    );
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

  async #open(): Promise<Handshake> {
    const { request, process } = this.#parts;
    if (request.attach) await this.#program.write("\n"); // ends a partial line that the previous owner may have written
    if (this.#opened) return this.#handshakeOf(this.#opened);
    if (request.attach)
      throw new HalyardError(
        "lost",
        "The agent is running, but its session was not opened. Start a new session.",
      );
    const { warnings, preamble, ...opened } = await openAgent(request, process, this.#peer);
    await saveOpened(request.runDir, opened);
    this.#opened = opened;
    this.#preamble = preamble;
    for (const text of warnings) this.#warnings.push(warning(text));
    return this.#handshakeOf(opened);
  }

  #handshakeOf({ sessionId, agreement }: AgentSessionState): Handshake {
    const { request } = this.#parts;
    return {
      runtimeSessionId: sessionId,
      ...(!request.attach && { resumable: request.resume !== undefined }),
      pid: this.#program.pid,
      protocol: { name: "ACP", version: agreement.version },
      agent: agreement.agent,
    };
  }

  async #prompt({ turnId, text, images = [], traceparent }: TurnInput): Promise<Receipt> {
    const { sessionId, agreement } = this.#session();
    if (images.length > 0 && !agreement.takesImages)
      throw new HalyardError(
        "unsupported",
        `${agreement.agent} does not accept images over ACP. Send the message without images.`,
      );
    const promptId = this.#nextPrompt++;
    await savePrompt(this.#parts.request.runDir, { turn: turnId, promptId });
    this.#client.close();
    this.#mapper.begin(turnId, promptId);
    const content = this.#preamble + text;
    this.#preamble = "";
    const blocks = images.map(({ data, mediaType: mimeType }) => ({
      type: "image",
      data,
      mimeType,
    }));
    const prompt = [...blocks, { type: "text", text: content }];
    // `traceparent` is a reserved key of `_meta`.
    const params = { sessionId, prompt, ...(traceparent && { _meta: { traceparent } }) };
    const message = { jsonrpc: "2.0", id: promptId, method: "session/prompt", params } as const;
    if (agreement.version === 1) {
      await this.#program.write(toJsonLine(message));
      return { status: "submitted" };
    }
    const accepted = createDeferred<HalyardError | undefined>();
    this.#accepted.set(String(promptId), accepted);
    try {
      await this.#program.write(toJsonLine(message));
      const rejection = await this.#program.unlessGone(accepted.promise);
      if (rejection) throw rejection;
      return { status: "confirmed" };
    } finally {
      this.#accepted.delete(String(promptId));
    }
  }

  #receive(message: unknown, isNew: boolean): void {
    this.#isNew = isNew;
    this.#peer.receive(message);
    if (this.#accepted.size === 0) return;
    const received = readJsonRpc(message);
    if (received.kind === "result") this.#accepted.get(String(received.id))?.resolve(undefined);
    if (received.kind === "failure")
      this.#accepted.get(String(received.id))?.resolve(rejectionOf(received.error));
  }

  async *#withWarnings(
    stream: AsyncIterable<readonly Output[]>,
  ): AsyncGenerator<readonly Output[], void, undefined> {
    for await (const batch of stream) {
      const drafts = this.#warnings.splice(0);
      yield drafts.length === 0 ? batch : [{ drafts }, ...batch];
    }
  }

  #session(): AgentSessionState {
    if (this.#opened) return this.#opened;
    throw new HalyardError(
      "delivery_failed",
      "The agent is not ready yet. Wait until the session is ready, and try again.",
    );
  }
}

function rejectionOf(error: unknown): HalyardError {
  const { code, message } = failureOf(readError(error));
  return new HalyardError(code === "agent_failed" ? "delivery_failed" : code, message);
}
