import { randomUUID } from "node:crypto";
import { NativeProgram } from "../../adapter-kit/native-program.ts";
import { createDeferred } from "../../async/deferred.ts";
import type {
  CompactInput,
  Connection,
  ConnectionSettings,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { requestNotOpen } from "../../errors/request-not-open.ts";
import type { SlashCommand } from "../../schema/conversation/slash-command.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Control } from "./control.ts";
import { Deliveries } from "./deliveries.ts";
import type { Driver, DriverParts } from "./driver.ts";
import { isUnknownSession } from "./events/completion.ts";
import { ClaudeMapper } from "./events/events.ts";
import type { Init } from "./events/system-messages.ts";
import { slashCommands } from "./initialized.ts";
import { ClaudeMessage, type ControlRequest } from "./messages.ts";
import {
  commandPermissionRules,
  laterPermissionMode,
  requiresCommandPermission,
} from "./policy.ts";
import {
  type NativeRequest,
  parseRequest,
  planModeDenial,
  toReply,
  violatesPlanMode,
} from "./requests.ts";
import { withNativeEnd } from "./settings/native-hooks.ts";
import { readPermissions, runFilesIn } from "./settings/run-files.ts";
import { userContent } from "./user-message.ts";

/** The parts of a connection that depend on how Claude was started. */
export interface ConnectionParts {
  readonly runtime: string;
  readonly process: HostProcess;
  /** The id of the session that Claude starts or resumes, if it is known. */
  readonly sessionId: string | undefined;
  /** Called after the initialization, before the first message is sent. */
  onInitialized?(): Promise<void>;
  createDriver(parts: DriverParts): Driver;
}

/** The connection to a running Claude Code process. */
export class ClaudeConnection implements Connection {
  readonly output: AsyncIterable<readonly Output[]>;
  readonly #program: NativeProgram;
  readonly #request: ConnectRequest;
  readonly #sessionId: string | undefined;
  readonly #mapper: ClaudeMapper;
  readonly #control = new Control((message) => this.#write(message));
  readonly #driver: Driver;
  readonly #deliveries: Deliveries;
  /** The open requests by native id. The value is undefined if Claude cancelled the request. */
  readonly #pendingRequests = new Map<string, NativeRequest | undefined>();
  readonly #refused = createDeferred<HalyardError>();
  readonly #handshake: Promise<Handshake>;
  /** Claude's response to the initialization. The response lists the slash commands. */
  #initialized: Promise<unknown> | undefined;
  #policy: Pick<ConnectRequest, "permissions" | "plan">;
  /** True after Claude's first `init` message, whose session id must be the id of the session to resume. */
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
      onMessage: (message) => this.#onNativeMessage(message),
      onEnd: (reason) => this.#control.close(reason),
    });
    this.output = withNativeEnd(output, runFilesIn(request.runDir).end);
    this.#handshake = this.#performHandshake(parts);
    this.#handshake.catch(() => {}); // ready() reports the error
  }

  ready(): Promise<Handshake> {
    return this.#handshake;
  }

  async send(input: TurnInput): Promise<Receipt> {
    const uuid = randomUUID();
    const delivery = this.#deliveries.open(uuid);
    await this.#driver.sendMessage(uuid, userContent(input));
    return this.#program.unlessGone(delivery);
  }

  async steer(input: TurnInput): Promise<Receipt> {
    const uuid = randomUUID();
    const delivery = this.#deliveries.openSteer(uuid);
    await this.#driver.sendMessage(uuid, userContent(input));
    const receipt = await this.#program.unlessGone(delivery);
    if (receipt !== undefined) return receipt;
    await this.#interrupt(); // the message arrived too late, so Claude would start a separate turn for it
    throw new HalyardError(
      "delivery_failed",
      "The turn ended before Claude received the message. Send it again.",
    );
  }

  /** Compacts with a slash command, which Claude Code runs as a turn. */
  compact({ turnId }: CompactInput): Promise<Receipt> {
    return this.send({ turnId, text: "/compact" });
  }

  async commands(): Promise<SlashCommand[]> {
    // after an attach, another process has already received the list, so request it again
    this.#initialized ??= this.#driver.initialize();
    return slashCommands(await this.#program.unlessGone(this.#initialized));
  }

  /**
   * Interrupts the turn. Waits for a pending message first. Otherwise, Claude would start a turn for this message after
   * the interrupt.
   */
  async cancel(): Promise<void> {
    await this.#program.unlessGone(this.#deliveries.settled);
    await this.#interrupt();
  }

  async configure({ model, reasoning, ...policy }: ConnectionSettings): Promise<void> {
    if (reasoning !== undefined)
      throw new HalyardError(
        "unsupported",
        "Claude Code sets the reasoning level only when it starts. Stop the session and resume it with the new level.",
      );
    if (model !== undefined) await this.#control.request({ subtype: "set_model", model });
    if (Object.keys(policy).length === 0) return;
    const next = { ...this.#policy, ...policy };
    const mode = laterPermissionMode(next, this.#request);
    if (requiresCommandPermission(next)) await this.#requireCommandPermission();
    await this.#control.request({ subtype: "set_permission_mode", mode });
    this.#policy = next;
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    if (!this.#pendingRequests.has(nativeId)) throw requestNotOpen(nativeId);
    const nativeRequest = this.#pendingRequests.get(nativeId);
    this.#pendingRequests.delete(nativeId);
    if (nativeRequest !== undefined)
      await this.#driver.reply(nativeId, toReply(nativeRequest, answer));
  }

  async detach(): Promise<void> {
    await this.#program.detach();
    this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.terminate();
    this.#driver.close();
  }

  async #performHandshake({
    onInitialized,
  }: Pick<ConnectionParts, "onInitialized">): Promise<Handshake> {
    const { attach, resume } = this.#request;
    const { pid } = this.#program;
    const id = this.#sessionId === undefined ? {} : { runtimeSessionId: this.#sessionId };
    if (attach !== undefined) {
      await this.#program.write("\n"); // ends a partial line that the previous owner may have written
      await this.#control.request({ subtype: "get_session_cost" });
      return { ...id, pid };
    }
    const refused = this.#refused.promise.then((error) => Promise.reject(error));
    this.#initialized = this.#driver.initialize();
    await this.#program.unlessGone(Promise.race([this.#initialized, refused]));
    await onInitialized?.();
    return { ...id, resumable: resume !== undefined, pid };
  }

  /**
   * Makes Claude request permission for every command, until Claude exits. If the policy becomes `allow-all` again, the
   * session answers each request.
   */
  async #requireCommandPermission(): Promise<void> {
    const permissions = commandPermissionRules(await readPermissions(this.#request.runDir));
    await this.#control.request({ subtype: "apply_flag_settings", settings: { permissions } });
  }

  async #interrupt(): Promise<void> {
    await this.#control.request({ subtype: "interrupt", cancel_queued: true });
  }

  /** Hot path: returns without parsing if only the mapper reads this type of message. */
  #onNativeMessage(native: unknown): void {
    if (typeof native !== "object" || native === null || !("type" in native)) return;
    if (native.type === "stream_event" || native.type === "assistant" || native.type === "user")
      return;
    const message = ClaudeMessage.safeParse(native).data;
    switch (message?.type) {
      case "control_response":
        this.#control.receive(message);
        break;
      case "control_request":
        this.#onControlRequest(message);
        break;
      case "control_cancel_request":
        if (this.#pendingRequests.has(message.request_id))
          this.#pendingRequests.set(message.request_id, undefined);
        break;
      case "command_lifecycle":
        this.#deliveries.onLifecycle(message);
        break;
      case "system":
        if (message.subtype === "init") this.#onInit(message);
        break;
      case "result":
        this.#deliveries.onTurnEnd();
        if (isUnknownSession(message)) this.#refused.resolve(this.#unknownSession());
        break;
    }
  }

  #onControlRequest(message: ControlRequest): void {
    const nativeRequest = parseRequest(message);
    if (nativeRequest === undefined) {
      this.#driver.refuse(message);
      return;
    }
    this.#pendingRequests.set(nativeRequest.nativeId, nativeRequest);
    if (!violatesPlanMode(nativeRequest, this.#mapper.permissionMode)) return;
    void this.answer(nativeRequest.nativeId, planModeDenial).catch(() => {}); // fails only if the process has exited
  }

  #onInit(init: Init): void {
    const { resume } = this.#request;
    if (!this.#isChecked && resume !== undefined && init.session_id !== resume)
      throw new HalyardError(
        "runtime_session_not_found",
        `Claude started session ${init.session_id} instead of resuming session ${resume}. Start a new session.`,
      );
    this.#isChecked = true; // after /clear, the conversation has another id, so do not check again
    this.#deliveries.onInit(init);
  }

  #unknownSession(): HalyardError {
    const { resume, fork } = this.#request;
    const message = `Claude Code has no record of session ${resume ?? fork?.runtimeSessionId}. Start a new session.`;
    return new HalyardError("runtime_session_not_found", message);
  }

  async #write(message: unknown): Promise<void> {
    await this.#program.write(toJsonLine(message));
  }
}
