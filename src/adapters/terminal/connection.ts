import { randomUUID } from "node:crypto";
import type { Connection, Handshake, Output, TurnInput } from "../../core/adapter.ts";
import { createChannel } from "../../core/channel.ts";
import { HalyardError } from "../../core/error.ts";
import { shown } from "../../core/look.ts";
import type { Screen, Terminal } from "../../core/terminal.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Limits } from "../../schema/start-request.ts";
import { becomeReady } from "./readiness.ts";
import { readReply } from "./reply.ts";
import type { TerminalRuntime } from "./runtime.ts";
import { typeInto } from "./type-into.ts";

/** A program on a screen that is typed to, and whose answers are what the screen adds. */
export class TerminalConnection implements Connection {
  readonly output = createChannel<Output>();
  readonly #terminal: Terminal;
  readonly #runtime: TerminalRuntime;
  readonly #limits: Limits;
  readonly #isReady: Promise<void>;
  readonly #over = new AbortController();

  constructor(terminal: Terminal, runtime: TerminalRuntime, limits: Limits) {
    this.#terminal = terminal;
    this.#runtime = runtime;
    this.#limits = limits;
    const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : Number.POSITIVE_INFINITY;
    this.#isReady = this.#unlessGone(becomeReady(terminal, runtime.entry, limitMs));
    this.#isReady.catch(() => {}); // for whoever asks whether it is ready
    void terminal.exit.then(() => this.#end());
  }

  async ready(): Promise<Handshake> {
    await this.#isReady;
    return { pid: this.#terminal.identity.pid };
  }

  /** That it was typed and sent off is all that can be known. */
  send({ text }: TurnInput): Promise<Receipt> {
    return this.#terminal.exclusively(async () => {
      const drafted = await this.#unlessGone(typeInto(this.#terminal, text));
      void this.#reply(text, drafted).catch((error) => this.output.end(error));
      return { status: "submitted" };
    });
  }

  steer(): Promise<Receipt> {
    return this.#cannot("is typed to only when it is done");
  }

  cancel(): Promise<void> {
    return this.#cannot("cannot be interrupted from here: look in with `halyard attach`");
  }

  answer(): Promise<void> {
    return this.#cannot("asks on its screen");
  }

  detach(): Promise<void> {
    return this.#cannot("cannot be taken up again");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#terminal.terminate({ graceMs: this.#limits.stopMs });
    this.output.end();
  }

  async #reply(message: string, drafted: Screen): Promise<void> {
    const { signal } = this.#over;
    const { entry } = this.#runtime;
    const text = await readReply(this.#terminal, { entry, message, drafted, signal });
    if (text === undefined) return;
    const messageId = randomUUID();
    const words = { channel: "text", messageId, text } as const;
    const said = text === "" ? [] : [{ type: "message", role: "assistant", ...words } as const];
    this.output.push({ drafts: [...said, { type: "completion", status: "completed" }] });
  }

  async #end(): Promise<void> {
    const words = await this.#terminal.look().then(shown, () => "");
    this.#over.abort();
    this.output.end(this.#gone(words));
  }

  #gone(words: string): HalyardError {
    return new HalyardError("agent_exited", `${this.#runtime.name} has ended: ${words}`);
  }

  async #cannot(what: string): Promise<never> {
    throw new HalyardError("unsupported", `${this.#runtime.name} ${what}`);
  }

  async #unlessGone<T>(promise: Promise<T>): Promise<T> {
    const gone = this.#terminal.exit.then(async () => {
      throw this.#gone(await this.#terminal.look().then(shown, () => ""));
    });
    return Promise.race([promise, gone]);
  }
}
