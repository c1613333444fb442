import { randomUUID } from "node:crypto";
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
import { toJsonLine } from "../../wire/ndjson.ts";
import { PendingReplies } from "../../wire/pending-replies.ts";
import { createMapper } from "./events.ts";
import type { ClientMessage, Reply } from "./messages.ts";
import { answeredBy, HELLO, readReply } from "./replies.ts";

/** The connection to a running fake agent. */
export class FakeConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #replies = new PendingReplies<Reply>();
  readonly #handshake: Promise<Handshake>;

  constructor(process: HostProcess, request: ConnectRequest) {
    this.#program = new NativeProgram(process, request);
    this.output = this.#program.output({
      runtime: "fake",
      mapper: createMapper(),
      onMessage: (message) => this.#onNativeMessage(message),
      onEnd: (reason) => this.#replies.close(reason),
    });
    this.#handshake = this.#shakeHands(request.attach?.runtimeSessionId);
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send(input: TurnInput): Promise<Receipt> {
    return this.#deliver("prompt", input);
  }

  steer(input: TurnInput): Promise<Receipt> {
    return this.#deliver("steer", input);
  }

  async compact(): Promise<Receipt> {
    const id = randomUUID();
    await this.#request(id, { type: "compact", id });
    return { status: "confirmed" };
  }

  async commands(): Promise<SlashCommand[]> {
    const id = randomUUID();
    const reply = await this.#request(id, { type: "commands", id });
    return reply.type === "commands" ? reply.names.map((name) => ({ name })) : [];
  }

  cancel(): Promise<void> {
    return this.#write({ type: "cancel" });
  }

  async configure({ permissions, ...settings }: ConnectionSettings): Promise<void> {
    const id = randomUUID();
    const ask = permissions === undefined ? {} : { ask: permissions !== "allow-all" };
    await this.#request(id, { type: "set", id, flags: { ...settings, ...ask } });
  }

  answer(nativeId: string, answer: Answer): Promise<void> {
    return this.#write({ type: "answer", id: nativeId, ...answer });
  }

  detach(): Promise<void> {
    return this.#program.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program.terminate();
  }

  async #shakeHands(known: string | undefined): Promise<Handshake> {
    const { pid } = this.#program;
    if (known !== undefined) return { runtimeSessionId: known, pid };
    const reply = await this.#request(HELLO, { type: "hello" });
    if (reply.type !== "ready")
      throw new HalyardError(
        "runtime_session_not_found",
        "The fake agent has no session with this id.",
      );
    const { sessionId: runtimeSessionId, resumable } = reply;
    return { runtimeSessionId, resumable, pid };
  }

  async #deliver(type: "prompt" | "steer", { text, images = [] }: TurnInput): Promise<Receipt> {
    const id = randomUUID();
    const reply = await this.#request(id, { type, id, text, images });
    if (reply.type === "refused") throw new HalyardError("delivery_failed", reply.reason);
    return { status: "confirmed" };
  }

  #onNativeMessage(message: unknown): void {
    const reply = readReply(message);
    if (reply) this.#replies.resolve(answeredBy(reply), reply);
  }

  #request(id: string, message: ClientMessage): Promise<Reply> {
    return this.#replies.expect(id, () => this.#write(message));
  }

  #write(message: ClientMessage): Promise<void> {
    return this.#program.write(toJsonLine(message));
  }
}
