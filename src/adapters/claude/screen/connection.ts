import { setImmediate } from "node:timers/promises";
import { NativeProgram } from "../../../adapter-kit/native-program.ts";
import { createChannel } from "../../../async/channel.ts";
import { createDeferred } from "../../../async/deferred.ts";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../../contracts/adapter.ts";
import { type EventDraft, warning } from "../../../contracts/event-draft.ts";
import type { Terminal } from "../../../contracts/terminal.ts";
import { errorInfo, HalyardError } from "../../../errors/error.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import type { Answer } from "../../../schema/permission.ts";
import { configDir } from "../settings/environment.ts";
import { nativeEnd, Reported, reportedDrafts } from "../settings/native-hooks.ts";
import { runFilesIn } from "../settings/run-files.ts";
import { removeKey } from "./accept-dialogs.ts";
import { deliver } from "./delivery/deliver.ts";
import { ExpectedMessages } from "./delivery/expected-messages.ts";
import { recoverDelivery } from "./delivery/recover-delivery.ts";
import type { SentMessages } from "./delivery/sent-messages.ts";
import { DialogWatch } from "./dialog-watch.ts";
import type { ScreenSession } from "./files.ts";
import { type HookMessage, hookMessages, markReported } from "./hooks.ts";
import { interruptTurn } from "./interrupt.ts";
import { sendKeys } from "./keys.ts";
import { PermissionHooks } from "./permission-hooks.ts";
import { asProcess } from "./process.ts";
import { waitUntilReady } from "./ready.ts";
import { TranscriptMapper } from "./transcript.ts";

/** The parts of a connection to a screen. */
export interface ScreenParts extends ScreenSession {
  readonly terminal: Terminal;
  /** The directory that the hooks write their messages to. */
  readonly hooks: string;
  /** The transcript's size in bytes when the connection was opened. */
  readonly transcriptSize: number;
  readonly sent: SentMessages;
}

/** The connection to Claude Code on a screen. It types messages, and reads Claude's transcript and hooks. */
export class ScreenConnection implements Connection {
  readonly #channel = createChannel<Output>();
  readonly #request: ConnectRequest;
  readonly #parts: ScreenParts;
  readonly #permissions: PermissionHooks;
  readonly #mapper: TranscriptMapper;
  readonly #program: NativeProgram;
  readonly #dialogs: DialogWatch;
  readonly #expected = new ExpectedMessages();
  /** Aborted when the connection is released, which stops the hook reader and the dialog watch. */
  readonly #released = new AbortController();
  readonly #started = createDeferred<void>();
  /** Resolves when the existing hook messages are read. */
  readonly #hooksRead = createDeferred<void>();
  /** Resolves when the existing transcript is read. */
  readonly #transcriptRead = createDeferred<void>();
  readonly #handshake: Promise<Handshake>;
  #turnEnd = createDeferred<void>();
  #sending: Promise<unknown> = Promise.resolve();
  #marking: Promise<unknown> = Promise.resolve();
  /** True if Halyard sent the last prompt that the hooks reported. */
  #isOwnPrompt = true;
  /** The id of another session that the user switched to on the screen. */
  #otherSessionId: string | undefined;

  constructor(request: ConnectRequest, parts: ScreenParts) {
    this.#request = request;
    this.#parts = parts;
    this.#permissions = new PermissionHooks(parts.hooks, (draft) => this.#emit(draft));
    this.#mapper = new TranscriptMapper({ isOwn: (text) => parts.sent.has(text) });
    this.#program = this.#asProgram();
    this.#dialogs = new DialogWatch(parts.terminal, this.#permissions, this.#released.signal);
    void this.#readTranscript();
    void this.#readHooks();
    const ready = request.attach ? this.#recoverDelivery() : this.#waitUntilReady();
    this.#handshake = this.#program.unlessGone(ready);
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  /** The drafts from the transcript and the hooks. Marks a request as reported after the reader has processed it. */
  get output(): AsyncIterable<readonly Output[]> {
    return this.#outputs();
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send({ text }: TurnInput): Promise<Receipt> {
    const sent = this.#send(text);
    this.#sending = sent.catch(() => {}); // cancel() waits for the message
    return sent;
  }

  /** Types the message while Claude works. Claude reads the message before the next step of the turn. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    await this.#parts.sent.add(text);
    const { accepted } = await this.#deliver(text, "busy");
    if (accepted !== "started") return { status: "submitted" };
    await this.#interruptTurn(text); // the message arrived too late, so Claude started a separate turn for it
    throw new HalyardError(
      "delivery_failed",
      "The turn ended before Claude received the message. Send it again.",
    );
  }

  async cancel(): Promise<void> {
    await this.#sending;
    await this.#interruptTurn(this.#parts.sent.text);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    await this.#hooksRead.promise;
    await this.#permissions.answer(nativeId, answer);
  }

  async detach(): Promise<void> {
    this.#released.abort();
    await this.#program.detach();
    this.#channel.end();
    await this.#marking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.terminate();
    await this.#removeKey();
  }

  /**
   * Removes the last characters of the key from Claude's files after Claude has exited. While Claude runs, the
   * characters must remain, because Claude repeatedly reads whether the key is approved.
   */
  async #removeKey(): Promise<void> {
    if (this.#parts.hasOwnConfig) await removeKey(configDir(this.#request));
  }

  /** Presents the screen as a process whose output is the transcript, without the part that existed before a resume. */
  #asProgram(): NativeProgram {
    const { transcriptSize, terminal, transcript } = this.#parts;
    const onRead = (end: number) => end >= transcriptSize && this.#transcriptRead.resolve();
    if (transcriptSize === 0) this.#transcriptRead.resolve();
    const attach = this.#request.attach ?? { cursor: transcriptSize, turnCursor: transcriptSize };
    const process = asProcess(terminal, transcript, { onRead });
    return new NativeProgram(process, { ...this.#request, attach });
  }

  #waitUntilReady(): Promise<Handshake> {
    return waitUntilReady(this.#request, {
      ...this.#parts,
      started: this.#started.promise,
      warn: (text) => this.#emit(warning(text)),
    });
  }

  async #recoverDelivery(): Promise<Handshake> {
    const { terminal, sent, sessionId: runtimeSessionId } = this.#parts;
    const caughtUp = Promise.all([this.#hooksRead.promise, this.#transcriptRead.promise]);
    const hasStarted = () => this.#mapper.hasOwnMessage;
    if ((await recoverDelivery({ terminal, sent, caughtUp, hasStarted })) === "undelivered") {
      const message =
        "The process that typed the message died before submitting it. Send the message again.";
      const error = errorInfo("delivery_failed", message);
      this.#emit({ type: "completion", status: "failed", error });
      await setImmediate(); // yields once, so that the end is reported before another turn can start
    }
    return { runtimeSessionId, pid: terminal.identity.pid };
  }

  async #send(text: string): Promise<Receipt> {
    await this.#parts.sent.start(text);
    this.#turnEnd = createDeferred();
    return (await this.#deliver(text, "idle")).receipt;
  }

  async #deliver(text: string, state: "idle" | "busy") {
    if (this.#otherSessionId !== undefined)
      throw new HalyardError(
        "delivery_failed",
        `A user switched Claude to another session, ${this.#otherSessionId}, on its screen. Stop and resume this session to switch back.`,
      );
    const { terminal } = this.#parts;
    const keys = sendKeys(state, this.#parts);
    return this.#expected.during(text, state, async (accepted) => {
      const delivery = deliver({ terminal, text, state, keys, accepted });
      const receipt = await this.#program.unlessGone(delivery);
      return { receipt, accepted: receipt.status === "confirmed" ? await accepted : undefined };
    });
  }

  async #interruptTurn(text: string | undefined): Promise<void> {
    const { terminal } = this.#parts;
    // the turn also ends if the process exits
    const ended = this.#program.unlessGone(this.#turnEnd.promise).catch(() => {});
    const result = await interruptTurn({
      terminal,
      text,
      ended,
      denyAll: () => this.#permissions.denyAll(),
    });
    if (result === "withdrawn") this.#emit(...this.#mapper.withdraw());
  }

  async *#outputs(): AsyncGenerator<readonly Output[]> {
    for await (const batch of this.#channel) {
      yield batch;
      const drafts = batch.flatMap((output) => output.drafts);
      const requests = drafts.filter((draft) => draft.type === "request");
      const marks = requests.map((request) => markReported(this.#parts.hooks, request));
      this.#marking = Promise.all(marks);
      await this.#marking;
    }
  }

  #emit(...drafts: EventDraft[]): void {
    if (drafts.some(({ type }) => type === "completion")) this.#turnEnd.resolve();
    if (drafts.length > 0) this.#channel.push({ drafts });
  }

  async #readTranscript(): Promise<void> {
    const output = this.#program.output({
      runtime: "claude",
      mapper: this.#mapper,
      onMessage: (line) => this.#expected.onTranscriptLine(line),
    });
    try {
      for await (const batch of output)
        for (const item of batch) {
          const drafts = this.#permissions.addRequests(item.drafts);
          if (drafts.some(({ type }) => type === "completion")) this.#turnEnd.resolve();
          this.#channel.push({ ...item, drafts });
        }
      this.#channel.end();
    } catch (error) {
      this.#released.abort();
      await this.#removeKey();
      this.#emit(...(await nativeEnd(runFilesIn(this.#request.runDir).end)));
      this.#channel.end(error);
    }
  }

  async #readHooks(): Promise<void> {
    for await (const messages of hookMessages(this.#parts.hooks, this.#released.signal)) {
      for (const message of messages) await this.#onHook(message);
      this.#hooksRead.resolve();
    }
    this.#hooksRead.resolve();
  }

  async #onHook(message: HookMessage): Promise<void> {
    const { data: reported } = Reported.safeParse(message);
    if (reported && !message.isReported) this.#emit(...reportedDrafts(reported));
    switch (message.hook_event_name) {
      case "SessionStart":
        this.#started.resolve();
        if (message.session_id !== this.#parts.sessionId) this.#otherSessionId = message.session_id;
        break;
      case "UserPromptSubmit":
        this.#isOwnPrompt = this.#parts.sent.has(message.prompt ?? "");
        this.#expected.onPrompt(message.prompt ?? "");
        break;
      case "PreToolUse":
        this.#permissions.onCall(message);
        break;
      case "PermissionRequest":
        await this.#permissions.onRequest(message, { isOwn: this.#isOwnPrompt });
        this.#dialogs.watch();
        break;
    }
  }
}
