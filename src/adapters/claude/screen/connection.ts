import { setImmediate } from "node:timers/promises";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../../core/adapter.ts";
import { createChannel } from "../../../core/channel.ts";
import { createDeferred } from "../../../core/deferred.ts";
import { type EventDraft, warning } from "../../../core/draft.ts";
import { errorInfo, HalyardError } from "../../../core/error.ts";
import { NativeProgram } from "../../../core/native-program.ts";
import type { Terminal } from "../../../core/terminal.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import type { Answer } from "../../../schema/permission.ts";
import { configDir } from "../environment.ts";
import { nativeEnd, Reported, reportedDrafts } from "../native-hooks.ts";
import { runFilesIn } from "../run-files.ts";
import { breakOff } from "./break-off.ts";
import { deliver } from "./deliver.ts";
import { DialogWatch } from "./dialog-watch.ts";
import { ExpectedMessages } from "./expected-messages.ts";
import type { Whereabouts } from "./files.ts";
import { forgetKey } from "./first-answers.ts";
import { type HookMessage, hookMessages, markTold } from "./hooks.ts";
import { sendKeys } from "./keys.ts";
import { PermissionHooks } from "./permission-hooks.ts";
import { asProcess } from "./process.ts";
import { becomeReady } from "./ready.ts";
import type { Sent } from "./sent.ts";
import { takeUp } from "./take-up.ts";
import { TranscriptMapper } from "./transcript.ts";

export interface ScreenParts extends Whereabouts {
  readonly terminal: Terminal;
  /** Where its hooks leave what they are told. */
  readonly hooks: string;
  /** How far the transcript was written before we came. */
  readonly written: number;
  readonly sent: Sent;
}

/** Claude Code on a screen: typed to by us, read by its own transcript and its hooks. */
export class ScreenConnection implements Connection {
  readonly #channel = createChannel<Output>();
  readonly #request: ConnectRequest;
  readonly #parts: ScreenParts;
  readonly #permissions: PermissionHooks;
  readonly #mapper: TranscriptMapper;
  readonly #program: NativeProgram;
  readonly #dialogs: DialogWatch;
  readonly #expected = new ExpectedMessages();
  /** Its hooks are heard until then. */
  readonly #letGo = new AbortController();
  readonly #started = createDeferred<void>();
  /** What the hooks left before we came has been read. */
  readonly #caughtUp = createDeferred<void>();
  /** The same of the transcript. */
  readonly #isRead = createDeferred<void>();
  readonly #handshake: Promise<Handshake>;
  #turnEnd = createDeferred<void>();
  #sending: Promise<unknown> = Promise.resolve();
  #marking: Promise<unknown> = Promise.resolve();
  /** Whether Claude works on what we sent, as far as its hooks told. */
  #isOurs = true;
  /** The session that Claude has gone over to, by the hand of somebody at the screen. */
  #elsewhere: string | undefined;

  constructor(request: ConnectRequest, parts: ScreenParts) {
    this.#request = request;
    this.#parts = parts;
    this.#permissions = new PermissionHooks(parts.hooks, (draft) => this.#tell(draft));
    this.#mapper = new TranscriptMapper({ isOurs: (text) => parts.sent.has(text) });
    this.#program = this.#asProgram();
    this.#dialogs = new DialogWatch(parts.terminal, this.#permissions, this.#letGo.signal);
    void this.#readTranscript();
    void this.#readHooks();
    const ready = request.attach ? this.#takeUp() : this.#becomeReady();
    this.#handshake = this.#program.unlessGone(ready);
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  /** What was asked is marked as told once whoever reads has dealt with it. */
  get output(): AsyncIterable<readonly Output[]> {
    return this.#outputs();
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  send({ text }: TurnInput): Promise<Receipt> {
    const sent = this.#send(text);
    this.#sending = sent.catch(() => {}); // for whoever cancels
    return sent;
  }

  /** Claude takes up what is typed while it works when it gets to it. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    await this.#parts.sent.add(text);
    const { taken } = await this.#deliver(text, "busy");
    if (taken !== "begun") return { status: "submitted" };
    await this.#breakOff(text); // it came too late, and became a turn of its own
    throw new HalyardError("delivery_failed", "the turn ended before Claude took the message");
  }

  async cancel(): Promise<void> {
    await this.#sending;
    await this.#breakOff(this.#parts.sent.text);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    await this.#caughtUp.promise;
    await this.#permissions.answer(nativeId, answer);
  }

  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#program.detach();
    this.#channel.end();
    await this.#marking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.terminate();
    await this.#forgetKey();
  }

  /** Not earlier: Claude reads its approval again and again. */
  async #forgetKey(): Promise<void> {
    if (this.#parts.hasOwnKeys) await forgetKey(configDir(this.#request));
  }

  /** The record of a session that is resumed was read before. */
  #asProgram(): NativeProgram {
    const { written, terminal, transcript } = this.#parts;
    const onRead = (end: number) => end >= written && this.#isRead.resolve();
    if (written === 0) this.#isRead.resolve();
    const attach = this.#request.attach ?? { cursor: written, turnCursor: written };
    const process = asProcess(terminal, transcript, { onRead });
    return new NativeProgram(process, { ...this.#request, attach });
  }

  #becomeReady(): Promise<Handshake> {
    return becomeReady(this.#request, {
      ...this.#parts,
      started: this.#started.promise,
      warn: (text) => this.#tell(warning(text)),
    });
  }

  async #takeUp(): Promise<Handshake> {
    const { terminal, sent, sessionId: runtimeSessionId } = this.#parts;
    const caughtUp = Promise.all([this.#caughtUp.promise, this.#isRead.promise]);
    const hasBegun = () => this.#mapper.hasOurs;
    if ((await takeUp({ terminal, sent, caughtUp, hasBegun })) === "undelivered") {
      const why = "whoever was to type the message died before it was sent off: send it again";
      const error = errorInfo("delivery_failed", why);
      this.#tell({ type: "completion", status: "failed", error });
      await setImmediate(); // before another turn can begin
    }
    return { runtimeSessionId, pid: terminal.identity.pid };
  }

  async #send(text: string): Promise<Receipt> {
    await this.#parts.sent.begin(text);
    this.#turnEnd = createDeferred();
    return (await this.#deliver(text, "idle")).receipt;
  }

  async #deliver(text: string, state: "idle" | "busy") {
    if (this.#elsewhere !== undefined)
      throw new HalyardError(
        "delivery_failed",
        `somebody at the screen has had Claude go over to another session, ${this.#elsewhere}`,
      );
    const { terminal } = this.#parts;
    const keys = sendKeys(state, this.#parts);
    return this.#expected.during(text, state, async (taken) => {
      const delivery = deliver({ terminal, text, state, keys, taken });
      const receipt = await this.#program.unlessGone(delivery);
      return { receipt, taken: receipt.status === "confirmed" ? await taken : undefined };
    });
  }

  async #breakOff(text: string | undefined): Promise<void> {
    const { terminal } = this.#parts;
    const ended = this.#program.unlessGone(this.#turnEnd.promise).catch(() => {}); // which ends it too
    const how = await breakOff({
      terminal,
      text,
      ended,
      denyAll: () => this.#permissions.denyAll(),
    });
    if (how === "taken-back") this.#tell(...this.#mapper.takeBack());
  }

  async *#outputs(): AsyncGenerator<readonly Output[]> {
    for await (const batch of this.#channel) {
      yield batch;
      const drafts = batch.flatMap((output) => output.drafts);
      const asked = drafts.filter((draft) => draft.type === "request");
      const marks = asked.map(({ nativeId }) => markTold(this.#parts.hooks, nativeId));
      this.#marking = Promise.all(marks);
      await this.#marking;
    }
  }

  #tell(...drafts: EventDraft[]): void {
    if (drafts.some(({ type }) => type === "completion")) this.#turnEnd.resolve();
    if (drafts.length > 0) this.#channel.push({ drafts });
  }

  async #readTranscript(): Promise<void> {
    const output = this.#program.output({
      runtime: "claude",
      mapper: this.#mapper,
      onMessage: (line) => this.#expected.hearLine(line),
    });
    try {
      for await (const batch of output)
        for (const item of batch) {
          const drafts = this.#permissions.follow(item.drafts);
          if (drafts.some(({ type }) => type === "completion")) this.#turnEnd.resolve();
          this.#channel.push({ ...item, drafts });
        }
      this.#channel.end();
    } catch (error) {
      this.#letGo.abort();
      await this.#forgetKey();
      this.#tell(...(await nativeEnd(runFilesIn(this.#request.runDir).end)));
      this.#channel.end(error);
    }
  }

  async #readHooks(): Promise<void> {
    for await (const messages of hookMessages(this.#parts.hooks, this.#letGo.signal)) {
      for (const message of messages) await this.#hearHook(message);
      this.#caughtUp.resolve();
    }
    this.#caughtUp.resolve();
  }

  async #hearHook(message: HookMessage): Promise<void> {
    const { data: reported } = Reported.safeParse(message);
    if (reported && !message.isTold) this.#tell(...reportedDrafts(reported));
    switch (message.hook_event_name) {
      case "SessionStart":
        this.#started.resolve();
        if (message.session_id !== this.#parts.sessionId) this.#elsewhere = message.session_id;
        break;
      case "UserPromptSubmit":
        this.#isOurs = this.#parts.sent.has(message.prompt ?? "");
        this.#expected.hearPrompt(message.prompt ?? "");
        break;
      case "PermissionRequest":
        await this.#permissions.hear(message, { isOurs: this.#isOurs });
        this.#dialogs.watch();
        break;
    }
  }
}
