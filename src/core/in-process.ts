import { rm } from "node:fs/promises";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { ProcessInfo } from "../schema/process.ts";
import type { RuntimeInfo, RuntimeName, RuntimeReport } from "../schema/runtime.ts";
import { SessionChanges, type SessionInfo, type StartRequest } from "../schema/session.ts";
import { changeRecord } from "./change-record.ts";
import { chooseAdapter } from "./choose-adapter.ts";
import { HalyardError } from "./error.ts";
import { EventLog } from "./event-log.ts";
import { followAll } from "./follow-all.ts";
import { forgetNatively } from "./forget.ts";
import type { FollowOptions, Halyard, ResumeOptions, Session } from "./halyard.ts";
import { newSessionId } from "./id.ts";
import type { Machine } from "./machine.ts";
import { type Opening, openSession } from "./open-session.ts";
import { listProcesses, reapProcesses } from "./owned-processes.ts";
import { parseInput } from "./parse-input.ts";
import { hasEnded } from "./projection.ts";
import { declareLost, findProcess, isRunning, recoverSessions } from "./recovery.ts";
import { examineRuntime, listRuntimes, usableAdapter } from "./runtimes.ts";
import type { LiveSession } from "./session.ts";
import {
  newSessionInfo,
  readRequest,
  requireCapabilities,
  type SessionRequest,
} from "./session-request.ts";
import type { PositionedEvent, SessionFilter, SessionRecord, Writer } from "./store.ts";
import { followStore } from "./store-source.ts";

/** Halyard in this very process. */
export class InProcessHalyard implements Halyard {
  readonly #machine: Machine;
  readonly #live = new Map<SessionId, LiveSession>();
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
    return examineRuntime(this.#machine.adapters, runtime);
  }

  async start(input: StartRequest): Promise<Session> {
    this.#requireOpen();
    const request = await readRequest(input);
    const { clock, self, store } = this.#machine;
    const parent = request.parent && (await this.#record(request.parent)).info;
    const { adapter, fallback } = await chooseAdapter(this.#machine, request, parent);
    requireCapabilities(adapter, request);
    const info = newSessionInfo(newSessionId(), adapter.name, request, clock.now().toISOString(), {
      ...(parent && { parent: parent.id, depth: parent.depth + 1 }),
      ...(fallback && { fallback }),
    });
    const writer = await store.create(info, self);
    return this.#open(request, info, writer, { opened: "started" });
  }

  async resume(id: SessionId, options: ResumeOptions = {}): Promise<Session> {
    this.#requireOpen();
    const held = this.#live.get(id);
    if (held && held.ending === undefined) return held;
    await held?.ending;
    const record = await this.#record(id);
    const { info } = record;
    const request = await readRequest(resumeRequest(info, options));
    await usableAdapter(this.#machine.adapters, info.runtime);
    const writer = await this.#claim(record);
    if (await isRunning(this.#machine, record)) {
      const { cursor, turnCursor } = record;
      const { runtimeSessionId } = info;
      const attach = {
        cursor,
        turnCursor,
        ...(runtimeSessionId !== undefined && { runtimeSessionId }),
      };
      return this.#open(request, info, writer, { opened: "attached", attach });
    }
    const after = await this.#settle(record, writer);
    const resume = after.runtimeSessionId;
    if (!after.resumable || resume === undefined) {
      await writer.release();
      throw new HalyardError("not_resumable", `${id} cannot be continued: ${whyNot(info)}`);
    }
    return this.#open(request, after, writer, { opened: "resumed", resume });
  }

  async find(id: SessionId): Promise<SessionInfo | undefined> {
    return this.#live.get(id)?.info ?? (await this.#machine.store.find(id))?.info;
  }

  async sessions(filter?: SessionFilter): Promise<SessionInfo[]> {
    return (await this.#machine.store.list(filter)).map(({ info }) => info);
  }

  async *events({
    sessionId,
    ...options
  }: { sessionId: SessionId } & FollowOptions): AsyncGenerator<StreamEvent> {
    const held = this.#live.get(sessionId);
    if (!held) await this.#record(sessionId);
    yield* held ? held.events(options) : followStore(this.#machine.store, sessionId, options);
  }

  allEvents(options: FollowOptions = {}): AsyncIterable<PositionedEvent> {
    return followAll(this.#machine.store, options);
  }

  async update(id: SessionId, input: SessionChanges): Promise<SessionInfo> {
    this.#requireOpen();
    const changes = parseInput(SessionChanges, input);
    const held = this.#live.get(id);
    if (held && held.ending === undefined) return held.update(changes);
    await held?.ending;
    return changeRecord(this.#machine, await this.#record(id), changes, (record) =>
      this.#claim(record),
    );
  }

  async remove(id: SessionId): Promise<void> {
    await this.#live.get(id)?.stop("removed");
    const record = await this.#record(id);
    await this.#claim(record);
    const { run, state } = this.#machine.directories(id);
    const left = await findProcess(this.#machine, record.info);
    await left?.[Symbol.asyncDispose]();
    await forgetNatively(this.#machine, record.info);
    await this.#machine.store.remove(id);
    await rm(run, { recursive: true, force: true });
    await rm(state, { recursive: true, force: true });
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
    await Promise.all([...this.#live.values()].map((session) => session.stop("disposed")));
    await this.#machine.store[Symbol.asyncDispose]();
  }

  #requireOpen(): void {
    if (this.#disposing !== undefined)
      throw new HalyardError("invalid_input", "this Halyard was disposed of");
  }

  async #record(id: SessionId): Promise<SessionRecord> {
    const record = await this.#machine.store.find(id);
    if (record) return record;
    throw new HalyardError(
      "session_not_found",
      `there is no session ${id}; \`halyard sessions\` lists them`,
    );
  }

  async #claim({ info, owner }: SessionRecord): Promise<Writer> {
    const { health, self, store } = this.#machine;
    if (owner && (await health(owner)) !== "dead") {
      throw new HalyardError(
        "session_owned",
        `process ${owner.pid} runs ${info.id}; stop or detach it there first`,
      );
    }
    return store.claim(info.id, self, owner);
  }

  /** A session whose runtime went away while nobody held it ends as lost before it is continued. */
  async #settle(record: SessionRecord, writer: Writer): Promise<SessionInfo> {
    const { info } = record;
    if (hasEnded(info)) return info;
    const log = new EventLog(this.#machine.store, writer, info, this.#machine.clock);
    await declareLost(this.#machine, record, log);
    return log.info;
  }

  async #open(
    request: SessionRequest,
    info: SessionInfo,
    writer: Writer,
    opening: Opening,
  ): Promise<Session> {
    const adapter = await this.#machine.adapters.load(info.runtime);
    let isOver = false;
    const onRelease = () => {
      isOver = true;
      this.#live.delete(info.id);
    };
    const options = { adapter, request, info, writer, opening, onRelease };
    const session = await openSession(this.#machine, options);
    if (!isOver) this.#live.set(info.id, session);
    if (opening.opened !== "started") await session.ready();
    return session;
  }
}

/** What a session goes on with: as it was started, but for what is given anew. */
function resumeRequest(info: SessionInfo, options: ResumeOptions): StartRequest {
  const { runtime, cwd, host, permissions, plan, reasoning, labels, name, project } = info;
  const given = typeof options.model === "string" ? { id: options.model } : options.model;
  const model = given || info.model ? { model: { ...info.model, ...given } } : {};
  return {
    runtime,
    cwd,
    host,
    permissions,
    plan,
    labels,
    ...(name !== undefined && { name }),
    ...(project !== undefined && { project }),
    ...(reasoning !== undefined && { reasoning }),
    ...options,
    ...model,
  };
}

function whyNot({ runtimeSessionId, turns }: SessionInfo): string {
  if (turns === 0) return "nothing was said in it yet, so the runtime kept no record of it";
  if (runtimeSessionId === undefined) return "the runtime never told its own id for it";
  return "the runtime kept no record of it";
}
