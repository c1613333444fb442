import { randomUUID } from "node:crypto";
import { exitWords } from "../../adapter-kit/exit-words.ts";
import { shown } from "../../adapter-kit/look.ts";
import { typeable } from "../../adapter-kit/typeable.ts";
import { createChannel } from "../../async/channel.ts";
import type { Connection, Handshake, Output, TurnInput } from "../../contracts/adapter.ts";
import type { Terminal } from "../../contracts/terminal.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Limits } from "../../schema/session/start-request.ts";
import { becomeReady } from "./readiness.ts";
import { readReply } from "./reply.ts";
import type { TerminalRuntime } from "./runtime.ts";
import { keepSentTurn, type TypedTurn } from "./sent-turn.ts";
import { typeInto } from "./type-into.ts";

/** Options for `TerminalConnection`. */
export interface TerminalConnectionOptions {
  readonly limits: Limits;
  readonly runDir: string;
  /** True if the program was ready before the attach. */
  readonly isReady?: boolean;
  /** The turn that an earlier process sent, if its reply is incomplete. */
  readonly underWay?: TypedTurn | undefined;
}

/** The connection to a program on a screen. It types messages, and reads replies from the screen. */
export class TerminalConnection implements Connection {
  readonly output = createChannel<Output>();
  readonly #terminal: Terminal;
  readonly #runtime: TerminalRuntime;
  readonly #limits: Limits;
  readonly #runDir: string;
  readonly #isReady: Promise<void>;
  readonly #over = new AbortController();

  constructor(terminal: Terminal, runtime: TerminalRuntime, options: TerminalConnectionOptions) {
    const { limits, runDir, isReady = false, underWay } = options;
    this.#terminal = terminal;
    this.#runtime = runtime;
    this.#limits = limits;
    this.#runDir = runDir;
    const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : Number.POSITIVE_INFINITY;
    this.#isReady = isReady
      ? Promise.resolve()
      : this.#unlessGone(becomeReady(terminal, runtime.entry, limitMs));
    if (underWay) this.#expectReply(underWay);
    this.#isReady.catch(() => {}); // ready() reports the error
    void terminal.exit.then(() => this.#end());
  }

  async ready(): Promise<Handshake> {
    await this.#isReady;
    return { pid: this.#terminal.identity.pid };
  }

  /** Types the message. The only confirmation is the text on the screen. */
  send({ turnId, text: given }: TurnInput): Promise<Receipt> {
    return this.#terminal.exclusively(async () => {
      const text = this.#toType(given);
      const drafted = await this.#unlessGone(typeInto(this.#terminal, text));
      const sent = { turnId, message: text, drafted };
      await keepSentTurn(this.#runDir, sent);
      this.#expectReply(sent);
      return { status: "submitted" };
    });
  }

  steer(): Promise<Receipt> {
    return this.#cannot(
      "accepts messages only between turns. Send the message after the turn ends.",
    );
  }

  cancel(): Promise<void> {
    return this.#cannot(
      'cannot be interrupted by Halyard. Run "halyard attach SESSION" and interrupt it on its screen.',
    );
  }

  answer(): Promise<void> {
    return this.#cannot(
      'shows its requests on its screen. Run "halyard attach SESSION" to answer them.',
    );
  }

  async detach(): Promise<void> {
    this.#over.abort();
    await this.#terminal.detach();
    this.output.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#terminal.terminate({ graceMs: this.#limits.stopMs });
    this.output.end();
  }

  #expectReply(sent: TypedTurn): void {
    void this.#reply(sent).catch((error) => this.output.end(error));
  }

  async #reply({ message, drafted }: TypedTurn): Promise<void> {
    const { signal } = this.#over;
    const { entry } = this.#runtime;
    const text = await readReply(this.#terminal, { entry, message, drafted, signal });
    if (text === undefined) return;
    const messageId = randomUUID();
    const words = { channel: "text", messageId, text } as const;
    const said = text === "" ? [] : [{ type: "message", role: "assistant", ...words } as const];
    this.output.push({ drafts: [...said, { type: "completion", status: "completed" }] });
  }

  /** Returns the text to type. Throws `delivery_failed` if the program would read it as several messages or as none. */
  #toType(given: string): string {
    const text = typeable(given).replace(/\n+$/, "");
    const { name } = this.#runtime;
    if (text.trim() === "")
      throw new HalyardError(
        "delivery_failed",
        "The message has no text that can be typed. Send a message with text.",
      );
    if (text.includes("\n") && !this.#terminal.marksPastes)
      throw new HalyardError(
        "delivery_failed",
        `${name} has not enabled bracketed paste, so it would receive each line as a separate message. Send the message on one line.`,
      );
    return text;
  }

  async #end(): Promise<void> {
    const gone = await this.#gone();
    this.#over.abort();
    this.output.end(gone);
  }

  async #gone(): Promise<HalyardError> {
    const words = await this.#terminal.look().then(shown, () => "");
    const how = exitWords(await this.#terminal.exit);
    const last = words && `. The screen showed:\n${words}`;
    return new HalyardError("agent_exited", `${this.#runtime.name} ${how}${last}`);
  }

  async #cannot(what: string): Promise<never> {
    throw new HalyardError("unsupported", `${this.#runtime.name} ${what}`);
  }

  async #unlessGone<T>(promise: Promise<T>): Promise<T> {
    const gone = this.#terminal.exit.then(async () => {
      throw await this.#gone();
    });
    return Promise.race([promise, gone]);
  }
}
