import { randomUUID } from "node:crypto";
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
import { nativeStream } from "../../core/native-stream.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { createMapper } from "./events.ts";
import type { ClientMessage, Reply } from "./messages.ts";
import { HELLO, Replies } from "./replies.ts";

/** A running fake agent. */
export class FakeConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #process: HostProcess;
  readonly #stopMs: number;
  readonly #replies = new Replies();
  readonly #letGo = new AbortController();
  readonly #handshake: Promise<Handshake>;

  constructor(process: HostProcess, { attach, limits, hear }: ConnectRequest) {
    this.#process = process;
    this.#stopMs = limits.stopMs;
    this.output = nativeStream(process, {
      runtime: "fake",
      mapper: createMapper(),
      attach,
      hear,
      signal: this.#letGo.signal,
      onMessage: (message) => this.#replies.receive(message),
      onEnd: (reason) => this.#replies.close(reason),
    });
    this.#handshake = this.#shakeHands(attach?.runtimeSessionId);
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send({ text }: TurnInput): Promise<Receipt> {
    return this.#deliver("prompt", text);
  }

  steer({ text }: TurnInput): Promise<Receipt> {
    return this.#deliver("steer", text);
  }

  cancel(): Promise<void> {
    return this.#write({ type: "cancel" });
  }

  async configure({ permissions, ...settings }: Settings): Promise<void> {
    const id = randomUUID();
    const ask = permissions === undefined ? {} : { ask: permissions !== "allow-all" };
    await this.#request(id, { type: "set", id, flags: { ...settings, ...ask } });
  }

  answer(nativeId: string, answer: Answer): Promise<void> {
    return this.#write({ type: "answer", id: nativeId, ...answer });
  }

  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#process.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process.terminate({ graceMs: this.#stopMs });
  }

  async #shakeHands(known: string | undefined): Promise<Handshake> {
    const { pid } = this.#process.identity;
    if (known !== undefined) return { runtimeSessionId: known, pid };
    const reply = await this.#request(HELLO, { type: "hello" });
    if (reply.type !== "ready")
      throw new HalyardError("runtime_session_not_found", "the fake agent has no such session");
    const { sessionId: runtimeSessionId, resumable } = reply;
    return { runtimeSessionId, resumable, pid };
  }

  async #deliver(type: "prompt" | "steer", text: string): Promise<Receipt> {
    const id = randomUUID();
    const reply = await this.#request(id, { type, id, text });
    if (reply.type === "refused") throw new HalyardError("delivery_failed", reply.reason);
    return { status: "confirmed" };
  }

  async #request(id: string, message: ClientMessage): Promise<Reply> {
    const reply = this.#replies.expect(id);
    this.#write(message).catch(async (error) => {
      // The end of a dead agent's output tells better why nothing could be written.
      if ((await this.#process.health()) !== "dead") this.#replies.reject(id, error);
    });
    return reply;
  }

  #write(message: ClientMessage): Promise<void> {
    return this.#process.write(toJsonLine(message));
  }
}
