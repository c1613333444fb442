import { randomUUID } from "node:crypto";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  Settings,
  TurnInput,
} from "../../core/adapter.ts";
import { createDeferred } from "../../core/deferred.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import { NativeProgram } from "../../core/native-program.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { type Ask, askOf, breaksPlan, onlyPlanning, toReply } from "./asks.ts";
import { isUnknownSession } from "./completion.ts";
import { Control } from "./control.ts";
import { Deliveries } from "./deliveries.ts";
import type { Driver, DriverParts } from "./driver.ts";
import { ClaudeMapper } from "./events.ts";
import { ClaudeMessage, type ControlRequest } from "./messages.ts";
import { withNativeEnd } from "./native-hooks.ts";
import { askingRules, asksForCommands, laterPermissionMode } from "./policy.ts";
import { readPermissions, runFilesIn } from "./run-files.ts";
import type { Init } from "./system-messages.ts";

export interface ConnectionParts {
  readonly runtime: string;
  readonly process: HostProcess;
  /** The session that Claude was started or resumed with, where it is known. */
  readonly sessionId: string | undefined;
  /** Called when Claude is there, and has been told nothing yet. */
  onIntroduced?(): Promise<void>;
  createDriver(parts: DriverParts): Driver;
}

/** A running Claude Code. */
export class ClaudeConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #request: ConnectRequest;
  readonly #sessionId: string | undefined;
  readonly #mapper: ClaudeMapper;
  readonly #control = new Control((message) => this.#write(message));
  readonly #driver: Driver;
  readonly #deliveries: Deliveries;
  /** What Claude waits to have answered; what it took back is undefined. */
  readonly #asks = new Map<string, Ask | undefined>();
  readonly #refused = createDeferred<HalyardError>();
  readonly #handshake: Promise<Handshake>;
  #policy: Pick<ConnectRequest, "permissions" | "plan">;
  /** Whether the session that Claude works in is the one asked for. */
  #isChecked = false;

  constructor(request: ConnectRequest, { runtime, process, sessionId, ...parts }: ConnectionParts) {
    this.#program = new NativeProgram(process, request);
    this.#request = request;
    this.#policy = { permissions: request.permissions, plan: request.plan };
    this.#sessionId = sessionId;
    this.#mapper = new ClaudeMapper({ live: true, fromStart: request.attach === undefined });
    this.#deliveries = new Deliveries(this.#mapper);
    const write = (message: unknown) => this.#write(message);
    this.#driver = parts.createDriver({ control: this.#control, write });
    const output = this.#program.output({
      runtime,
      mapper: this.#mapper,
      onMessage: (message) => this.#hear(message),
      onEnd: (reason) => this.#control.close(reason),
    });
    this.output = withNativeEnd(output, runFilesIn(request.runDir).end);
    this.#handshake = this.#shakeHands(parts);
    this.#handshake.catch(() => {}); // for whoever asks whether it is ready
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send({ text }: TurnInput): Promise<Receipt> {
    const uuid = randomUUID();
    const delivery = this.#deliveries.open(uuid);
    await this.#driver.say(uuid, text);
    return this.#program.unlessGone(delivery);
  }

  async steer({ text }: TurnInput): Promise<Receipt> {
    const uuid = randomUUID();
    const delivery = this.#deliveries.openSteer(uuid);
    await this.#driver.say(uuid, text);
    const receipt = await this.#program.unlessGone(delivery);
    if (receipt !== undefined) return receipt;
    await this.#interrupt(); // it came too late and would become a turn of its own
    throw new HalyardError("delivery_failed", "the turn ended before Claude took the message");
  }

  /** What Claude has not taken yet it would begin after the interruption. */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#deliveries.settled);
    await this.#interrupt();
  }

  async configure({ model, reasoning, ...policy }: Settings): Promise<void> {
    if (reasoning !== undefined)
      throw new HalyardError(
        "unsupported",
        "Claude is told how hard to think when it starts: stop the session and resume it with that",
      );
    if (model !== undefined) await this.#control.request({ subtype: "set_model", model });
    if (Object.keys(policy).length === 0) return;
    const next = { ...this.#policy, ...policy };
    const mode = laterPermissionMode(next, this.#request);
    if (asksForCommands(next)) await this.#askForCommands();
    await this.#control.request({ subtype: "set_permission_mode", mode });
    this.#policy = next;
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    if (!this.#asks.has(nativeId))
      throw new HalyardError("request_not_found", `Claude has not asked for ${nativeId}`);
    const ask = this.#asks.get(nativeId);
    this.#asks.delete(nativeId);
    if (ask !== undefined) await this.#driver.reply(nativeId, toReply(ask, answer));
  }

  async detach(): Promise<void> {
    await this.#program.detach();
    this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.terminate();
    this.#driver.close();
  }

  async #shakeHands({ onIntroduced }: Pick<ConnectionParts, "onIntroduced">): Promise<Handshake> {
    const { attach, resume } = this.#request;
    const { pid } = this.#program;
    const id = this.#sessionId === undefined ? {} : { runtimeSessionId: this.#sessionId };
    if (attach !== undefined) {
      await this.#program.write("\n"); // whoever held it before may have left half a line
      await this.#control.request({ subtype: "get_session_cost" });
      return { ...id, pid };
    }
    const refused = this.#refused.promise.then((error) => Promise.reject(error));
    await this.#program.unlessGone(Promise.race([this.#driver.initialize(), refused]));
    await onIntroduced?.();
    return { ...id, resumable: resume !== undefined, pid };
  }

  /** Claude keeps these rules until it ends: the core answers for a session that may do everything again. */
  async #askForCommands(): Promise<void> {
    const permissions = askingRules(await readPermissions(this.#request.runDir));
    await this.#control.request({ subtype: "apply_flag_settings", settings: { permissions } });
  }

  #interrupt(): Promise<void> {
    return this.#control.request({ subtype: "interrupt", cancel_queued: true });
  }

  /** The hot path: most of what comes is of no interest here. */
  #hear(native: unknown): void {
    if (typeof native !== "object" || native === null || !("type" in native)) return;
    if (native.type === "stream_event" || native.type === "assistant" || native.type === "user")
      return;
    const message = ClaudeMessage.safeParse(native).data;
    switch (message?.type) {
      case "control_response":
        this.#control.receive(message);
        break;
      case "control_request":
        this.#hearRequest(message);
        break;
      case "control_cancel_request":
        if (this.#asks.has(message.request_id)) this.#asks.set(message.request_id, undefined);
        break;
      case "command_lifecycle":
        this.#deliveries.hear(message);
        break;
      case "system":
        if (message.subtype === "init") this.#hearInit(message);
        break;
      case "result":
        this.#deliveries.hearEnd();
        if (isUnknownSession(message)) this.#refused.resolve(this.#unknownSession());
        break;
    }
  }

  #hearRequest(message: ControlRequest): void {
    const ask = askOf(message);
    if (ask === undefined) {
      this.#driver.refuse(message);
      return;
    }
    this.#asks.set(ask.nativeId, ask);
    if (!breaksPlan(ask, this.#mapper.permissionMode)) return;
    void this.answer(ask.nativeId, onlyPlanning).catch(() => {}); // whoever is gone needs no answer
  }

  #hearInit(init: Init): void {
    const { resume } = this.#request;
    if (!this.#isChecked && resume !== undefined && init.session_id !== resume)
      throw new HalyardError(
        "runtime_session_not_found",
        `Claude was asked to continue ${resume} and began ${init.session_id} instead`,
      );
    this.#isChecked = true; // later on the conversation may be cleared and get another id
    this.#deliveries.hearInit(init);
  }

  #unknownSession(): HalyardError {
    const message = `Claude has no record of a session ${this.#request.resume}`;
    return new HalyardError("runtime_session_not_found", message);
  }

  async #write(message: unknown): Promise<void> {
    await this.#program.write(toJsonLine(message));
  }
}
