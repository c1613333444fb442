import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../../core/adapter.ts";
import { createChannel } from "../../../core/channel.ts";
import { createDeferred, type Deferred } from "../../../core/deferred.ts";
import { HalyardError } from "../../../core/error.ts";
import type { HostProcess } from "../../../core/host.ts";
import { nativeStream } from "../../../core/native-stream.ts";
import type { Terminal } from "../../../core/terminal.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import type { Answer } from "../../../schema/permission.ts";
import { ScreenAsks } from "./asks.ts";
import { readComposer } from "./composer.ts";
import { deliver, look, shown } from "./deliver.ts";
import type { Whereabouts } from "./files.ts";
import { answerHook, type HookMessage, hookMessages } from "./hooks.ts";
import { TranscriptMapper } from "./transcript.ts";

export interface ScreenParts extends Whereabouts {
  readonly terminal: Terminal;
  /** Where its hooks leave what they are told. */
  readonly hooks: string;
  /** How far the transcript was written before we came. */
  readonly from: number;
}

/** Claude Code on a screen: typed to by us, read by its own transcript and its hooks. */
export class ScreenConnection implements Connection {
  readonly output = createChannel<Output>();
  readonly #request: ConnectRequest;
  readonly #parts: ScreenParts;
  readonly #asks = new ScreenAsks();
  readonly #letGo = new AbortController();
  readonly #started = createDeferred<void>();
  readonly #gone = createDeferred<Error>();
  readonly #handshake: Promise<Handshake>;
  /** Messages on their way, by what they say. */
  readonly #expected = new Map<string, Deferred<void>>();

  constructor(request: ConnectRequest, parts: ScreenParts) {
    this.#request = request;
    this.#parts = parts;
    void this.#readTranscript();
    void this.#readHooks();
    this.#handshake = this.#becomeReady();
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send({ text }: TurnInput): Promise<Receipt> {
    const { terminal } = this.#parts;
    const taken = createDeferred<void>();
    this.#expected.set(text.trim(), taken);
    try {
      const delivery = deliver({ terminal, text, taken: taken.promise });
      return await this.#unlessGone(delivery);
    } finally {
      this.#expected.delete(text.trim());
    }
  }

  /** Claude takes up what is typed while it works when it gets to it, and only then says so. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    const { terminal } = this.#parts;
    await terminal.exclusively(async () => {
      const composer = readComposer(await terminal.look());
      if (composer.state !== "busy" || composer.draft !== "")
        throw new HalyardError("delivery_failed", "Claude is not at work, or somebody is typing");
      await terminal.paste(text);
      await terminal.press("Enter");
    });
    return { status: "submitted" };
  }

  /** A hook that waits is let go first: it is what has the keyboard. */
  async cancel(): Promise<void> {
    const { terminal, hooks } = this.#parts;
    const text = "the turn was cancelled";
    for (const id of this.#asks.open)
      if (this.#asks.settle(id))
        await answerHook(hooks, id, { decision: "deny", text }, { interrupt: true });
    await terminal.exclusively(() => terminal.press("Escape"));
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    if (!this.#asks.settle(nativeId)) return; // Claude has gone on without the answer
    await answerHook(this.#parts.hooks, nativeId, answer);
  }

  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#parts.terminal.detach();
    this.output.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.terminal.terminate({ graceMs: this.#request.limits.stopMs });
  }

  async #becomeReady(): Promise<Handshake> {
    const { terminal, sessionId } = this.#parts;
    const { attach, resume, limits } = this.#request;
    const { pid } = terminal.identity;
    const handshake = { runtimeSessionId: sessionId, pid };
    if (attach !== undefined) return handshake;
    const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : 2 ** 31 - 1;
    const isReady = (screen: Parameters<typeof readComposer>[0]) => {
      const { state } = readComposer(screen);
      return state === "idle" || state === "dialog";
    };
    const screen = await this.#unlessGone(look(terminal, isReady, limitMs));
    if (readComposer(screen).state !== "idle") throw this.#unready(shown(screen));
    await this.#unlessGone(this.#started.promise);
    return { ...handshake, resumable: resume !== undefined };
  }

  #unready(seen: string): HalyardError {
    const view = this.#parts.terminal.viewCommand.join(" ");
    return new HalyardError(
      "start_failed",
      `Claude takes no message yet. Its screen shows:\n${seen}\nTo see to it yourself: ${view}`,
    );
  }

  async #readTranscript(): Promise<void> {
    const { attach, hear } = this.#request;
    const { from } = this.#parts;
    const output = nativeStream(this.#process(), {
      runtime: "claude",
      mapper: new TranscriptMapper(),
      attach: attach ?? { cursor: from, turnCursor: from },
      hear,
      signal: this.#letGo.signal,
    });
    try {
      for await (const batch of output)
        for (const item of batch)
          this.output.push({ ...item, drafts: this.#asks.follow(item.drafts) });
      this.output.end();
    } catch (error) {
      this.#letGo.abort();
      this.#gone.resolve(error instanceof Error ? error : new Error(String(error)));
      this.output.end(error);
    }
  }

  async #readHooks(): Promise<void> {
    for await (const message of hookMessages(this.#parts.hooks, this.#letGo.signal))
      this.#hear(message);
  }

  #hear(message: HookMessage): void {
    switch (message.hook_event_name) {
      case "SessionStart":
        this.#started.resolve();
        break;
      case "UserPromptSubmit":
        this.#expected.get(message.prompt?.trim() ?? "")?.resolve();
        break;
      case "PreToolUse":
        this.#asks.prepare(message);
        break;
      case "PermissionRequest": {
        if (message.isAnswered) break;
        const drafts = this.#asks.ask(message);
        if (drafts.length > 0) this.output.push({ drafts });
        break;
      }
    }
  }

  /** The transcript in the place of what a program writes to its standard output. */
  #process(): HostProcess {
    const { terminal, transcript } = this.#parts;
    return {
      identity: terminal.identity,
      output: (options) => terminal.follow(transcript, options),
      stderrTail: async () => shown(await terminal.look()),
      write: () => Promise.reject(new HalyardError("unsupported", "a screen is typed to")),
      get exit() {
        return terminal.exit;
      },
      health: () => terminal.health(),
      terminate: (options) => terminal.terminate(options),
      detach: () => terminal.detach(),
      [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
    };
  }

  #unlessGone<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#gone.promise.then((reason) => Promise.reject(reason))]);
  }
}
