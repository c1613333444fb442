import { setTimeout as delay } from "node:timers/promises";
import { createChannel } from "../../async/channel.ts";
import { createDeferred, type Deferred } from "../../async/deferred.ts";
import type {
  Connection,
  ConnectionSettings,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "../../contracts/adapter.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import type { SlashCommand } from "../../schema/conversation/slash-command.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { noUsage } from "../../schema/usage/usage.ts";
import { mcpServersOf, serverWarnings } from "./config/mcp-servers.ts";
import { EventRecorder } from "./event-recorder.ts";
import { failure } from "./events/completion.ts";
import { takeSnapshot } from "./events/snapshot.ts";
import type { Link } from "./server/link.ts";
import { RenewableLink } from "./server/renewable-link.ts";
import { repeatAbort } from "./server/repeat-abort.ts";
import type { ServerContext } from "./server/server-request.ts";
import type { Lease } from "./server/servers.ts";

/** A session on a shared server. If the server dies, the next message starts another server. */
export class OpenCodeConnection implements Connection {
  readonly output = createChannel<Output>();
  readonly #request: ConnectRequest;
  readonly #link: RenewableLink;
  #events: EventRecorder | undefined;
  /** Resolves when the last message starts a turn or fails, or when the session ends. */
  #begun: Deferred<Receipt> = createDeferred();
  /** True from the time a message is sent until its turn ends. */
  #isExpected = false;
  #idleChecks = 0;
  #ending: Promise<void> | undefined;

  constructor(
    lease: Lease,
    known: string | undefined,
    request: ConnectRequest,
    context: ServerContext,
  ) {
    this.#request = request;
    this.#begun.resolve({ status: "submitted" });
    this.#link = new RenewableLink(lease, {
      request,
      context,
      known,
      listen: (link) => this.#listener(link),
      onOpen: (link) => {
        void this.#checkMcpServers(link).catch(() => {}); // ignored, because the check only adds warnings
        return this.#restore(link);
      },
      onGone: (reason) => this.#lose(reason),
    });
  }

  async ready(): Promise<Handshake> {
    const { sessionId: runtimeSessionId, lease } = await this.#link.first;
    return { runtimeSessionId, resumable: true, pid: lease.server.process.identity.pid };
  }

  send(input: TurnInput): Promise<Receipt> {
    return this.#begin(async (link) => {
      if (this.#request.options.blocking === true) this.#promptBlocking(link, input);
      else await link.api.prompt(link.sessionId, input, link.settings);
    });
  }

  compact(): Promise<Receipt> {
    return this.#begin(async (link) => {
      const { model = await link.api.lastModel(link.sessionId) } = link.settings;
      this.#untilEnd(link, link.api.summarize(link.sessionId, model));
    });
  }

  async commands(): Promise<SlashCommand[]> {
    return (await this.#link.live()).api.commands();
  }

  async #begin(start: (link: Link) => Promise<void>): Promise<Receipt> {
    this.#requireOpen();
    const begun = createDeferred<Receipt>();
    this.#begun = begun;
    try {
      const link = await this.#link.live();
      this.#isExpected = true;
      this.#idleChecks = 0;
      this.#events?.startTurn();
      await start(link);
    } catch (error) {
      this.#isExpected = false;
      this.#events?.stopWatching();
      begun.resolve({ status: "submitted" });
      throw error;
    }
    return begun.promise;
  }

  /** Sends a message through the blocking route, which returns at the end of the turn even if the end event is lost. */
  #promptBlocking(link: Link, input: TurnInput): void {
    this.#untilEnd(link, link.api.promptBlocking(link.sessionId, input, link.settings));
  }

  /** Ends the turn when a blocking route responds, in case the turn's end event was missed. */
  #untilEnd(link: Link, ended: Promise<void>): void {
    void ended
      .then(() => this.#fillGap(link, true))
      .catch((error) => {
        if (this.#isExpected && !this.#events?.isTurnOpen)
          this.#fail("agent_failed", reasonOf(error));
      });
  }

  /** Sends a message during a turn. The model receives it in its next step. */
  async steer(input: TurnInput): Promise<Receipt> {
    this.#requireOpen();
    const link = await this.#link.current();
    if (link === undefined || !this.#events?.isTurnOpen)
      throw new HalyardError(
        "delivery_failed",
        "OpenCode has no turn in progress. Send the message as a new turn.",
      );
    this.#events.apply({ type: "halyard.steered" });
    await link.api.prompt(link.sessionId, input, link.settings);
    return { status: "submitted" };
  }

  /** Aborts the turn. OpenCode can miss an abort at the start of a turn, so the abort is repeated up to three times. */
  async cancel(): Promise<void> {
    const begun = this.#begun;
    await Promise.race([begun.promise, delay(BEGIN_MS, undefined, { ref: false })]);
    const link = await this.#link.current();
    if (link === undefined || !this.#isExpected) return;
    this.#events?.apply({ type: "halyard.cancelled" });
    await link.api.abort(link.sessionId);
    const isOpen = () => this.#isExpected && this.#begun === begun && this.#ending === undefined;
    void repeatAbort(this.#link, isOpen).catch(() => {}); // if this fails, the session's limits end the turn
  }

  async ping(): Promise<void> {
    const link = await this.#link.current();
    if (link === undefined)
      throw new HalyardError(
        "agent_exited",
        "The OpenCode server has exited. The next message starts a new server.",
      );
    await link.lease.server.ping();
  }

  /** Applies settings. During a turn, the settings apply to the next turn, because they may require another server. */
  async configure({ model: id, ...policy }: ConnectionSettings): Promise<void> {
    this.#requireOpen();
    const before = this.#link.request;
    const model = id === undefined ? {} : { model: { ...before.model, id } };
    this.#link.change({ ...before, ...policy, ...model });
    if (this.#isExpected) return;
    try {
      await this.#link.live();
    } catch (error) {
      this.#link.change(before);
      throw error;
    }
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    const link = await this.#link.current();
    if (link === undefined || (await link.api.answer(nativeId, answer))) return;
    this.#events?.warnLateAnswer(answer);
  }

  async detach(): Promise<void> {
    this.#ending ??= this.#end((lease) => lease.detach());
    await this.#ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stopMs } = this.#request.limits;
    this.#ending ??= this.#end(async (lease) => {
      await this.#abortTurn(lease, stopMs);
      await lease.release(stopMs);
    });
    await this.#ending;
  }

  async #end(leave: (lease: Lease) => Promise<void>): Promise<void> {
    await this.#link.end(leave);
    this.#events?.close();
    this.#begun.resolve({ status: "submitted" });
    this.output.end();
  }

  /** Aborts the turn if the server continues to run for other sessions. */
  async #abortTurn(lease: Lease, limitMs: number): Promise<void> {
    if (!this.#isExpected || (await lease.isLast())) return;
    const link = await this.#link.current();
    // if this fails, the turn runs until the server exits
    await link?.api.abort(link.sessionId, limitMs).catch(() => {});
  }

  #listener(link: Link) {
    const events = this.#events ?? this.#openEventLog(link.sessionId);
    return {
      onEvent: (event: unknown) => events.receive(event),
      onReconnect: () => void this.#fillGap(link).catch(() => {}), // if this fails, onSilence retries
    };
  }

  #openEventLog(sessionId: string): EventRecorder {
    this.#events = new EventRecorder({
      sessionId,
      request: this.#request,
      output: this.output,
      onTurn: (isOpen) => this.#turnChanged(isOpen),
      // if this fails, OpenCode continues its retries
      onRetry: (attempt, reason) => void this.#retried(attempt, reason).catch(() => {}),
      onSilence: () => void this.#checkIdle().catch(() => {}), // ignored, because the next silence starts another check
    });
    return this.#events;
  }

  /** Skips the history of a resumed session. After an attach, restores the turn that was open at the detach. */
  async #restore(link: Link): Promise<void> {
    const { attach, resume } = this.#request;
    const events = this.#events;
    if (events === undefined || events.isRestored) return;
    events.isRestored = true;
    if (resume !== undefined) events.startAfter(await link.api.latest(resume));
    if (attach === undefined || !events.restore(attach)) return;
    this.#isExpected = true;
    await this.#fillGap(link);
  }

  /** Emits warnings for MCP servers that are not connected. The session does not wait for them. */
  async #checkMcpServers({ api }: Link): Promise<void> {
    const servers = mcpServersOf(this.#request);
    if (Object.keys(servers).length === 0) return;
    const warnings = serverWarnings(servers, await api.mcpServers());
    if (this.#ending === undefined && warnings.length > 0) this.#events?.emit(...warnings);
  }

  #turnChanged(isOpen: boolean): void {
    this.#begun.resolve({ status: isOpen ? "confirmed" : "submitted" });
    if (!isOpen) this.#isExpected = false;
  }

  /** Aborts the turn after too many retries. OpenCode itself retries for more than a minute. */
  async #retried(attempt: number, reason: string): Promise<void> {
    const { retries } = this.#request.options;
    if (attempt <= (typeof retries === "number" ? retries : RETRIES)) return;
    this.#events?.apply({ type: "halyard.given-up", reason });
    const link = await this.#link.current();
    await link?.api.abort(link.sessionId);
  }

  /** Emits the events that were missed. New events wait until the missed events are emitted. */
  async #fillGap({ api, sessionId }: Link, isOver = false): Promise<void> {
    if (!this.#isExpected) return;
    await this.#events?.fillGap((isPast) => takeSnapshot(api, sessionId, isPast), isOver);
  }

  /** Called after 10 s without an event. If OpenCode is idle, emits missed events. The second time, also ends the turn. */
  async #checkIdle(): Promise<void> {
    const link = await this.#link.current();
    if (link === undefined || !(await link.api.isIdle(link.sessionId))) return;
    this.#idleChecks++;
    const isOver = this.#idleChecks > 1;
    await this.#fillGap(link, isOver);
    if (isOver && this.#isExpected && !this.#events?.isTurnOpen)
      this.#fail("agent_failed", "OpenCode did not start a turn. Send the message again.");
  }

  /** Called when the server has died. Fails the turn that is open or expected. If there is none, emits a warning. */
  #lose({ message: reason }: HalyardError): void {
    if (this.#events?.isTurnOpen) this.#events.apply({ type: "halyard.gone", reason });
    else if (this.#isExpected) this.#fail("agent_exited", reason);
    else this.#events?.emit({ type: "system", subtype: "warning", text: reason });
  }

  #fail(code: "agent_failed" | "agent_exited", message: string): void {
    this.#isExpected = false;
    this.#events?.emit(failure(code, message, noUsage));
    this.#events?.stopWatching();
    this.#begun.resolve({ status: "submitted" });
  }

  #requireOpen(): void {
    if (this.#ending !== undefined)
      throw new HalyardError("session_stopped", "The session has ended. Resume it to continue.");
  }
}

/** Default number of retries. The third consecutive failure ends the turn, about 7 s after the first. */
const RETRIES = 2;

/** The maximum time that a cancel waits for the confirmation of the message, in milliseconds. */
const BEGIN_MS = 2000;
