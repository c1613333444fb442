import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { ProcessInfo } from "../schema/process.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtime-info.ts";
import type { SessionInfo } from "../schema/session.ts";
import { SessionChanges } from "../schema/session-changes.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { oneByOne } from "../wire/one-by-one.ts";
import { changedRecord, changeRecord } from "./change-record.ts";
import { chooseAdapter } from "./choose-adapter.ts";
import { claim, reachOwner, requireRecord, requireUnowned } from "./claim.ts";
import { completeRequest } from "./complete-request.ts";
import { HalyardError } from "./error.ts";
import { followBatches } from "./follow.ts";
import { followAll } from "./follow-all.ts";
import type { EventFilter, FollowOptions, Halyard, ResumeOptions, Session } from "./halyard.ts";
import { isSessionId, newSessionId, requireSessionId } from "./id.ts";
import { letGo } from "./let-go.ts";
import type { Machine } from "./machine.ts";
import { type Opening, openSession } from "./open-session.ts";
import { listProcesses, reapProcesses } from "./owned-processes.ts";
import { parseInput, requireWhole } from "./parse-input.ts";
import { judgeProject, type ProjectTrust } from "./project-trust.ts";
import { recoverSessions } from "./recovery.ts";
import { removeRecord } from "./remove-record.ts";
import { findReopening } from "./reopening.ts";
import { changesIn, resumeRequest } from "./resume-request.ts";
import { adapterOn, examineRuntime, listRuntimes, usableAdapter } from "./runtimes.ts";
import type { LiveSession } from "./session.ts";
import {
  type AskedRequest,
  newSessionInfo,
  readRequest,
  requireCapabilities,
  type SessionRequest,
} from "./session-request.ts";
import { stopUnheld } from "./stop-unheld.ts";
import type { PositionedEvent, SessionFilter, Writer } from "./store.ts";
import { storeSource } from "./store-source.ts";

/** Halyard in this very process. */
export class InProcessHalyard implements Halyard {
  readonly #machine: Machine;
  readonly #live = new Map<SessionId, LiveSession>();
  /** Starts and resumes under way: whoever asks for the same session meanwhile gets the same. */
  readonly #opening = new Map<SessionId, Promise<LiveSession>>();
  /** Given when nobody can read any more. */
  readonly #closing = new AbortController();
  #disposing: Promise<void> | undefined;

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Sees first to the sessions of processes that died. */
  static async open(machine: Machine): Promise<InProcessHalyard> {
    await recoverSessions(machine);
    return new InProcessHalyard(machine);
  }

  runtimes(): Promise<RuntimeInfo[]> {
    return listRuntimes(this.#machine.adapters);
  }

  examine(runtime: RuntimeName): Promise<RuntimeReport> {
    const { adapters, hosts, env = {} } = this.#machine;
    return examineRuntime(adapters, runtime, { host: hosts.get("local"), env });
  }

  async start(input: StartRequest): Promise<Session> {
    this.#requireOpen();
    const read = await readRequest(input);
    const { clock, gate, self, store } = this.#machine;
    const parent = read.parent && (await requireRecord(this.#machine, read.parent)).info;
    const id = await this.#newId(read.id);
    const asked = { ...(parent ? inProjectOf(parent, read) : read), id };
    const { adapter, host, fallback } = await chooseAdapter(this.#machine, asked, parent);
    const place = { adapter, host, isNew: true };
    const request = await completeRequest(this.#machine, asked, place);
    requireCapabilities(adapter, request);
    adapter.checkOptions?.(request.options);
    const project = await judgeProject(this.#machine, adapter, asked);
    const info = newSessionInfo(id, adapter.name, request, clock.now().toISOString(), {
      ...(parent && { parent: parent.id, depth: parent.depth + 1 }),
      ...(fallback && { fallback }),
    });
    const create = () => store.create(info, self);
    const writer = await (gate ? gate.admit(info, create) : create());
    const opening = { opened: "started" } as const;
    return this.#whileOpening(id, this.#open(request, info, writer, { opening, project }));
  }

  async resume(text: string, options: ResumeOptions = {}): Promise<Session> {
    this.#requireOpen();
    const id = requireSessionId(text);
    const wasOpen = this.#live.has(id) || this.#opening.has(id);
    const opening = this.#opening.get(id) ?? this.#whileOpening(id, this.#resume(id, options));
    const session = await opening;
    try {
      const changes = changesIn(session.info, options);
      if (changes) await this.update(id, changes);
    } catch (error) {
      if (!wasOpen) await letGo(session, "detach");
      throw error;
    }
    return session;
  }

  async #resume(id: SessionId, options: ResumeOptions): Promise<LiveSession> {
    const held = this.#live.get(id);
    if (held && !held.isEnding) return held;
    await held?.ended();
    const record = await changedRecord(this.#machine, id, options);
    const { runtime, host } = record.info;
    const asked = await readRequest(resumeRequest(record.info, options));
    const adapter = await usableAdapter(this.#machine.adapters, runtime, { ...asked, host });
    const request = await completeRequest(this.#machine, asked, { adapter, host, isNew: false });
    requireCapabilities(adapter, request);
    const writer = await claim(this.#machine, record);
    const { info, opening } = await findReopening(this.#machine, record, writer);
    const judged =
      opening.opened === "attached" ? undefined : judgeProject(this.#machine, adapter, asked);
    const project = await judged?.catch(async (reason) => {
      await writer.release();
      throw reason;
    });
    return this.#open(request, info, writer, { opening, ...(project && { project }) });
  }

  async session(text: string): Promise<Session> {
    const id = requireSessionId(text);
    const held = await this.#held(id);
    if (held) return held;
    const record = await requireRecord(this.#machine, id);
    const owner = await reachOwner(this.#machine, record);
    if (owner) return owner.session(id);
    await requireUnowned(this.#machine, record);
    const problem = record.info.state === "detached" ? "was let go of" : "does not run";
    throw new HalyardError("session_stopped", `${id} ${problem}; resume it to go on`);
  }

  async stop(text: string, reason = "stopped"): Promise<void> {
    const id = requireSessionId(text);
    const held = await this.#held(id);
    if (held) return held.stop(reason);
    const owner = await reachOwner(this.#machine, await requireRecord(this.#machine, id));
    if (owner) await owner.stop(id, reason);
    else await stopUnheld(this.#machine, id, reason, () => this.resume(id));
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    if (!isSessionId(id)) return undefined;
    return this.#live.get(id)?.info ?? (await this.#machine.store.find(id))?.info;
  }

  async sessions(filter?: SessionFilter): Promise<SessionInfo[]> {
    if (filter?.limit !== undefined) requireWhole("limit", filter.limit);
    const { parent } = filter ?? {};
    if (parent !== undefined && !isSessionId(parent))
      throw new HalyardError("invalid_input", `parent: "${parent}" is not a session id`);
    return (await this.#machine.store.list(filter)).map(({ info }) => info);
  }

  events(options: EventFilter): AsyncGenerator<StreamEvent> {
    return oneByOne(this.batches(options), options.signal);
  }

  batches({ sessionId, ...options }: EventFilter): AsyncIterable<readonly StreamEvent[]> {
    const held = isSessionId(sessionId) ? this.#live.get(sessionId) : undefined;
    return held?.batches(options) ?? this.#stored(sessionId, options);
  }

  async *#stored(text: string, options: FollowOptions): AsyncGenerator<readonly StreamEvent[]> {
    const id = requireSessionId(text);
    await requireRecord(this.#machine, id);
    yield* followBatches(storeSource(this.#machine.store, id), options);
  }

  allEvents(options: FollowOptions = {}): AsyncIterable<PositionedEvent> {
    const signal = AbortSignal.any([
      this.#closing.signal,
      ...(options.signal ? [options.signal] : []),
    ]);
    return followAll(this.#machine.store, { ...options, signal });
  }

  async update(text: string, input: SessionChanges): Promise<SessionInfo> {
    this.#requireOpen();
    const id = requireSessionId(text);
    const changes = parseInput(SessionChanges, input);
    const held = this.#live.get(id);
    if (held && !held.isEnding) return held.update(changes);
    await held?.ended();
    const record = await requireRecord(this.#machine, id);
    const owner = await reachOwner(this.#machine, record);
    return owner ? owner.update(id, changes) : changeRecord(this.#machine, record, changes);
  }

  async remove(text: string): Promise<void> {
    const id = requireSessionId(text);
    const held = await this.#held(id);
    if (held) await held.stop("removed");
    else {
      const owner = await reachOwner(this.#machine, await requireRecord(this.#machine, id));
      await owner?.stop(id, "removed");
    }
    await removeRecord(this.#machine, id);
  }

  processes(): Promise<ProcessInfo[]> {
    return listProcesses(this.#machine);
  }

  reap(): Promise<ProcessInfo[]> {
    return reapProcesses(this.#machine);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    const { onDispose = "stop", store, audience, owners } = this.#machine;
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#live.values()].map((session) => letGo(session, onDispose)));
    this.#closing.abort();
    await owners?.[Symbol.asyncDispose]();
    await audience?.[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  }

  async #newId(given: SessionId | undefined): Promise<SessionId> {
    if (given === undefined || !(await this.#machine.store.find(given)))
      return given ?? newSessionId();
    throw new HalyardError("invalid_input", `id: there is a session ${given} already`);
  }

  #requireOpen(): void {
    if (this.#disposing !== undefined)
      throw new HalyardError("invalid_input", "this Halyard was disposed of");
  }

  /** The session as it runs here, once it does; undefined where it does not. */
  async #held(id: SessionId): Promise<LiveSession | undefined> {
    await this.#opening.get(id)?.catch(() => {}); // whoever asked for it hears of that
    return this.#live.get(id);
  }

  async #whileOpening(id: SessionId, opening: Promise<LiveSession>): Promise<LiveSession> {
    this.#opening.set(id, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(id);
    }
  }

  async #open(
    request: SessionRequest,
    info: SessionInfo,
    writer: Writer,
    {
      opening,
      project = ofRunning,
    }: { readonly opening: Opening; readonly project?: ProjectTrust },
  ): Promise<LiveSession> {
    const { runtime, host } = info;
    const adapter = adapterOn(
      host,
      await this.#machine.adapters.load(runtime, host, request.credentials),
    );
    let isOver = false;
    const onRelease = ({ isTold }: { isTold: boolean }) => {
      isOver = true;
      this.#live.delete(info.id);
      if (!isTold) this.#machine.abandoned.add(info.id);
    };
    const stopElsewhere = (reason: string) => this.stop(info.id, reason);
    const options = { adapter, request, info, writer, opening, project, onRelease, stopElsewhere };
    const session = await openSession(this.#machine, options);
    if (!isOver) this.#live.set(info.id, session);
    if (opening.opened !== "started") await session.ready();
    return session;
  }
}

/** A runtime that still runs has read its settings already. */
const ofRunning: ProjectTrust = { trusted: false, warnings: [] };

/** A child belongs to its parent's project, whose limits are for both. */
function inProjectOf({ id, project }: SessionInfo, request: AskedRequest): AskedRequest {
  if (project === undefined) return request;
  if ((request.project ?? project) === project) return { ...request, project };
  throw new HalyardError(
    "invalid_input",
    `${id} belongs to the project ${project}, and so do its children; leave the project out`,
  );
}
