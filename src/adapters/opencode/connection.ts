import { setTimeout as delay } from "node:timers/promises";
import type {
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  Settings,
  TurnInput,
} from "../../core/adapter.ts";
import { createChannel } from "../../core/channel.ts";
import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { noUsage } from "../../core/usage.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Answer } from "../../schema/permission.ts";
import { failure } from "./completion.ts";
import { Hearing } from "./hearing.ts";
import { KeptLink } from "./kept-link.ts";
import type { Link } from "./link.ts";
import { mcpServersOf, serverWarnings } from "./mcp-servers.ts";
import { findServer, hireServer, type ServerContext } from "./server-request.ts";
import type { Lease } from "./servers.ts";
import { takeSnapshot } from "./snapshot.ts";
import { readWhereabouts } from "./whereabouts.ts";

/** Makes sure that there is a server for the session. Quick: it need not answer yet. */
export async function connect(
  request: ConnectRequest,
  context: ServerContext,
): Promise<Connection> {
  const { attach, resume, runDir } = request;
  if (attach === undefined)
    return new OpenCodeConnection(await hireServer(request, context), resume, request, context);
  const session = attach.runtimeSessionId ?? (await readWhereabouts(runDir))?.session;
  if (session === undefined)
    throw new HalyardError("lost", "whoever held the session left before OpenCode had one");
  return new OpenCodeConnection(await findServer(request, context), session, request, context);
}

/** A session on a server that it shares with others, and that is replaced when it dies. */
class OpenCodeConnection implements Connection {
  readonly output = createChannel<Output>();
  readonly #request: ConnectRequest;
  readonly #link: KeptLink;
  #hearing: Hearing | undefined;
  /** Kept once the message that was sent last has shown up, or came to nothing. */
  #begun: Deferred<Receipt> = createDeferred();
  /** A message was sent and the turn that it is for has not ended. */
  #isExpected = false;
  #silences = 0;
  #ending: Promise<void> | undefined;

  constructor(
    lease: Lease,
    known: string | undefined,
    request: ConnectRequest,
    context: ServerContext,
  ) {
    this.#request = request;
    this.#begun.resolve({ status: "submitted" });
    this.#link = new KeptLink(lease, {
      request,
      context,
      known,
      listen: (link) => this.#listen(link),
      onOpen: (link) => {
        void this.#askForServers(link).catch(() => {}); // a server that does not answer is told of otherwise
        return this.#takeUp(link);
      },
      onGone: (reason) => this.#lose(reason),
    });
  }

  async ready(): Promise<Handshake> {
    const { sessionId: runtimeSessionId, lease } = await this.#link.first;
    return { runtimeSessionId, resumable: true, pid: lease.server.process.identity.pid };
  }

  async send({ text }: TurnInput): Promise<Receipt> {
    this.#refuseIfEnding();
    const begun = createDeferred<Receipt>();
    this.#begun = begun;
    try {
      const link = await this.#link.live();
      this.#isExpected = true;
      this.#silences = 0;
      this.#hearing?.expect();
      if (this.#request.options.blocking === true) this.#converse(link, text);
      else await link.api.prompt(link.sessionId, text, link.settings);
    } catch (error) {
      this.#isExpected = false;
      this.#hearing?.expectNothing();
      begun.resolve({ status: "submitted" });
      throw error;
    }
    return begun.promise;
  }

  /** The call ends with the turn; the stream tells of both, and where it missed the end, this is the end. */
  #converse(link: Link, text: string): void {
    void link.api
      .converse(link.sessionId, text, link.settings)
      .then(() => this.#mend(link, true))
      .catch((error) => {
        if (this.#isExpected && !this.#hearing?.isTurnOpen)
          this.#fail("agent_failed", reasonOf(error));
      });
  }

  /** A message that comes while the model is at work is taken up with its next step. */
  async steer({ text }: TurnInput): Promise<Receipt> {
    this.#refuseIfEnding();
    const link = await this.#link.current();
    if (link === undefined || !this.#hearing?.isTurnOpen)
      throw new HalyardError("delivery_failed", "OpenCode has no turn under way to add this to");
    this.#hearing.say({ type: "halyard.steered" });
    await link.api.prompt(link.sessionId, text, link.settings);
    return { status: "submitted" };
  }

  /** An abort before the turn has begun would go unnoticed, and just after may: it is repeated until the turn ends. */
  async cancel(): Promise<void> {
    const begun = this.#begun;
    await Promise.race([begun.promise, delay(BEGIN_MS, undefined, { ref: false })]);
    const link = await this.#link.current();
    if (link === undefined || !this.#isExpected) return;
    this.#hearing?.say({ type: "halyard.cancelled" });
    await link.api.abort(link.sessionId);
    void this.#insist(begun).catch(() => {}); // whoever waits for the end of the turn notices
  }

  async ping(): Promise<void> {
    const link = await this.#link.current();
    if (link === undefined)
      throw new HalyardError(
        "agent_exited",
        "OpenCode's server has ended; the next message starts another",
      );
    await link.lease.server.ping();
  }

  /** While a turn is under way it waits for the next one, for it may need another server. */
  async configure({ model: id, ...policy }: Settings): Promise<void> {
    this.#refuseIfEnding();
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
    this.#hearing?.answeredTooLate(answer);
  }

  async detach(): Promise<void> {
    this.#ending ??= this.#end((lease) => lease.letGo());
    await this.#ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stopMs } = this.#request.limits;
    this.#ending ??= this.#end(async (lease) => {
      await this.#leave(lease, stopMs);
      await lease.release(stopMs);
    });
    await this.#ending;
  }

  async #end(leave: (lease: Lease) => Promise<void>): Promise<void> {
    await this.#link.end(leave);
    this.#hearing?.close();
    this.#begun.resolve({ status: "submitted" });
    this.output.end();
  }

  /** A server that others use goes on, so the turn has to be ended by itself. */
  async #leave(lease: Lease, limitMs: number): Promise<void> {
    if (!this.#isExpected || (await lease.isLast())) return;
    const link = await this.#link.current();
    await link?.api.abort(link.sessionId, limitMs).catch(() => {}); // then it goes on until the server ends
  }

  #listen(link: Link) {
    const hearing = this.#hearing ?? this.#startHearing(link.sessionId);
    return {
      hear: (event: unknown) => hearing.hear(event),
      reconnected: () => void this.#mend(link).catch(() => {}), // asked again once nothing is heard any more
    };
  }

  #startHearing(sessionId: string): Hearing {
    const { runDir, hear } = this.#request;
    this.#hearing = new Hearing({
      sessionId,
      runDir,
      output: this.output,
      onEvent: hear,
      onTurn: (isOpen) => this.#turned(isOpen),
      onRetry: (attempt, reason) => void this.#retried(attempt, reason).catch(() => {}), // it goes on, and is heard
      onSilence: () => void this.#ask().catch(() => {}), // a server that does not answer is gone, or asked again
    });
    return this.#hearing;
  }

  /** What was there before is not to be told, but for a turn that was under way when somebody else let go of it. */
  async #takeUp(link: Link): Promise<void> {
    const { attach, resume } = this.#request;
    const hearing = this.#hearing;
    if (hearing === undefined || hearing.isTakenUp) return;
    hearing.isTakenUp = true;
    if (resume !== undefined) hearing.startAfter(await link.api.latest(resume));
    if (attach === undefined || !hearing.recall(attach)) return;
    this.#isExpected = true;
    await this.#mend(link);
  }

  /** Nobody has to wait for them: what is not there by then is told once it is known. */
  async #askForServers({ api }: Link): Promise<void> {
    const servers = mcpServersOf(this.#request);
    if (Object.keys(servers).length === 0) return;
    const warnings = serverWarnings(servers, await api.mcpServers());
    if (this.#ending === undefined && warnings.length > 0) this.#hearing?.tell(...warnings);
  }

  async #insist(turn: Deferred<Receipt>): Promise<void> {
    for (const pauseMs of INSIST_MS) {
      await delay(pauseMs, undefined, { ref: false });
      const link = await this.#link.current();
      const isUnderWay = this.#isExpected && this.#begun === turn && this.#ending === undefined;
      if (link === undefined || !isUnderWay) return;
      await link.api.abort(link.sessionId);
    }
  }

  #turned(isOpen: boolean): void {
    this.#begun.resolve({ status: isOpen ? "confirmed" : "submitted" });
    if (!isOpen) this.#isExpected = false;
  }

  /** OpenCode would try for more than a minute. */
  async #retried(attempt: number, reason: string): Promise<void> {
    const { retries } = this.#request.options;
    if (attempt <= (typeof retries === "number" ? retries : RETRIES)) return;
    this.#hearing?.say({ type: "halyard.given-up", reason });
    const link = await this.#link.current();
    await link?.api.abort(link.sessionId);
  }

  /** Events were missed. What comes from this very moment on has to wait until those are told. */
  async #mend({ api, sessionId }: Link, isOver = false): Promise<void> {
    if (!this.#isExpected) return;
    await this.#hearing?.mend((isPast) => takeSnapshot(api, sessionId, isPast), isOver);
  }

  /** Nothing was heard for long: either it works, or we missed the end, or there is none to come. */
  async #ask(): Promise<void> {
    const link = await this.#link.current();
    if (link === undefined || !(await link.api.isIdle(link.sessionId))) return;
    this.#silences++;
    const isOver = this.#silences > 1;
    await this.#mend(link, isOver);
    if (isOver && this.#isExpected && !this.#hearing?.isTurnOpen)
      this.#fail("agent_failed", "OpenCode took the message and did nothing with it");
  }

  /** What was under way has failed; whoever needs a server starts another. */
  #lose({ message: reason }: HalyardError): void {
    if (this.#hearing?.isTurnOpen) this.#hearing.say({ type: "halyard.gone", reason });
    else if (this.#isExpected) this.#fail("agent_exited", reason);
    else this.#hearing?.tell({ type: "system", subtype: "warning", text: reason });
  }

  #fail(code: "agent_failed" | "agent_exited", message: string): void {
    this.#isExpected = false;
    this.#hearing?.tell(failure(code, message, noUsage));
    this.#hearing?.expectNothing();
    this.#begun.resolve({ status: "submitted" });
  }

  #refuseIfEnding(): void {
    if (this.#ending !== undefined)
      throw new HalyardError("session_stopped", "the session has ended; resume it to go on");
  }
}

/** The third failure of a model in a row is its last, about seven seconds after the first. */
const RETRIES = 2;

/** A message shows up at once, as a rule. */
const BEGIN_MS = 2000;

const INSIST_MS = [1500, 2000, 4000];
