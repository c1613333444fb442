import { SharedCheck } from "../../async/shared-check.ts";
import { unlessAborted } from "../../async/unless-aborted.ts";
import { HalyardError } from "../../errors/error.ts";
import { whyUnavailable } from "../../halyard/availability.ts";
import { findById } from "../../halyard/find-session.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import type { HalyardSource } from "../halyard-source.ts";
import type {
  ExecuteOptions,
  ExecuteRequest,
  ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import { deadlineError, isDeadline, SessionExecutor } from "./executor.ts";
import { KeptServer } from "./kept-server.ts";
import {
  contextOfSession,
  type OpenedSession,
  type Opening,
  openSession,
  startRequest,
} from "./open-session.ts";
import { contextOf, readContext, readRequest } from "./read-request.ts";
import type { Runtime, StreamingExecutor } from "./runtime.ts";
import { type RuntimeConfig, requireCredentials } from "./runtime-config.ts";

interface OpeningOptions {
  readonly isCollected?: boolean;
  /** The continued session's model. */
  readonly recorded?: ModelEndpoint | undefined;
}

interface Execution extends Pick<OpenedSession, "leave" | "abandon"> {
  readonly executor: SessionExecutor;
}

/** One of Halyard's runtimes, with its server and its open executors. */
export class HalyardRuntime implements Runtime {
  readonly name: string;
  readonly #config: RuntimeConfig;
  readonly #source: HalyardSource;
  readonly #executors = new Set<SessionExecutor>();
  /** Executions that have no executor yet. */
  readonly #beginning = new Set<Promise<Execution>>();
  /** The pending stops of cancelled executions' sessions. */
  readonly #late = new Set<Promise<void>>();
  #context: RuntimeContext;
  #checking: SharedCheck | undefined;
  #server: KeptServer | undefined;
  #closing: Promise<void> | undefined;

  constructor(config: RuntimeConfig, source: HalyardSource, context: RuntimeContext) {
    this.name = config.runtime;
    this.#config = config;
    this.#source = source;
    this.#context = context;
  }

  async initialize(context?: RuntimeContext, { signal }: ExecuteOptions = {}): Promise<void> {
    this.#refuseIfClosed();
    const given = context && readContext(context);
    await unlessCancelled(Promise.resolve(), signal); // an aborted call changes nothing
    const before = this.#checking;
    if (given) {
      this.#context = { ...this.#context, ...given };
      if (before) this.#checking = this.#shareCheck(before.over.then(() => this.#check()));
    }
    await this.#checked(signal);
  }

  async isAvailable(): Promise<boolean> {
    const halyard = await this.#source.open();
    const { availability } = await halyard.inspect(this.name);
    return availability.available;
  }

  async executeStreaming(
    request: ExecuteRequest,
    options?: ExecuteOptions,
  ): Promise<StreamingExecutor> {
    const { executor, abandon } = await this.#execute(request, options);
    try {
      await executor.accepted();
    } catch (error) {
      await abandon();
      throw error;
    }
    return executor;
  }

  async execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecuteResponse> {
    const { executor, leave } = await this.#execute(request, options, { isCollected: true });
    try {
      return await executor.collect();
    } finally {
      if (leave()) await executor.close();
    }
  }

  async ping({ signal }: ExecuteOptions = {}): Promise<void> {
    this.#refuseIfClosed();
    await unlessCancelled(this.#ping(signal), signal);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Initializes the runtime, then pings its server or, if it has none, its open sessions. The sessions of Droid are not
   * pinged, as in Oubliette.
   */
  async #ping(signal: AbortSignal | undefined): Promise<void> {
    await this.initialize(undefined, { signal });
    if (this.name === "droid") return;
    if (this.#server) return this.#server.ping(); // a session recovers by itself: its next message starts a new server
    await Promise.all([...this.#executors].map((executor) => executor.ping()));
  }

  async #close(): Promise<void> {
    await Promise.all([
      ...[...this.#executors].map((executor) => executor.close()),
      Promise.allSettled(this.#beginning), // each of them rejects, because the runtime is closed
      this.#checking?.over,
    ]);
    await Promise.all(this.#late);
    await this.#server?.close();
    await this.#source[Symbol.asyncDispose]();
  }

  /** Waits for the check of the context. Starts a check if none has succeeded or is running. */
  #checked(signal: AbortSignal | undefined): Promise<void> {
    this.#checking ??= this.#shareCheck(this.#check());
    return unlessCancelled(this.#checking.wait(signal), signal);
  }

  /** Lets callers share a check. If all of them cancel, the server that the check started is stopped. */
  #shareCheck(checking: Promise<void>): SharedCheck {
    const forget = (): boolean => {
      if (this.#checking !== check) return false;
      this.#checking = undefined; // the next call checks again
      return true;
    };
    checking.catch(forget);
    const check: SharedCheck = new SharedCheck(checking, async () => {
      if (!forget()) return; // a later check has replaced the server
      const server = this.#server;
      this.#server = undefined;
      await server?.close();
    });
    return check;
  }

  /**
   * Checks a context. `continued` is the id of the session that the first request continues. The session's values apply
   * unless the request sets others.
   */
  async #check(given = this.#context, continued?: string): Promise<void> {
    const halyard = await this.#source.open();
    const runtime = this.name;
    const known = continued && (await findById(halyard, continued, { runtime }));
    const context = { ...(known && contextOfSession(known)), ...given };
    const opening = this.#opening({ ...(known && { recorded: known.model }) });
    const { availability, signedIn, advice } = await halyard.inspect(runtime);
    const problem = whyUnavailable(runtime, availability);
    if (problem && !isInContainer(context)) throw problem; // a container has its own program
    if (signedIn === "no")
      requireCredentials(runtime, context, { completed: await opening.complete(context), advice });
    if (runtime === SERVED) await this.#keepServer(await startRequest(context, opening));
  }

  /** Replaces a server that belongs to an earlier context or has crashed. */
  async #keepServer(request: StartRequest): Promise<void> {
    const halyard = await this.#source.open();
    const before = this.#server;
    if (!(await before?.isWell())) await before?.close(); // closed first, so that its session starts another server
    this.#server = await KeptServer.open(halyard, request);
    await before?.close();
  }

  /** Replaces a crashed server before the next execution. */
  async #requireServer(signal: AbortSignal | undefined): Promise<void> {
    if ((await this.#server?.isWell()) !== false) return;
    this.#checking = undefined;
    await this.#checked(signal);
  }

  async #execute(
    request: ExecuteRequest,
    options: ExecuteOptions = {},
    { isCollected = false } = {},
  ): Promise<Execution> {
    const beginning = this.#begin(request, options, { isCollected });
    this.#beginning.add(beginning);
    try {
      return await beginning;
    } finally {
      this.#beginning.delete(beginning);
    }
  }

  async #begin(
    input: ExecuteRequest,
    options: ExecuteOptions,
    { isCollected }: { isCollected: boolean },
  ): Promise<Execution> {
    const { signal } = options;
    const given = readRequest(input);
    await unlessCancelled(this.#prepare({ ...this.#context, ...given }, signal), signal);
    const request = { ...this.#context, ...given };
    const halyard = await this.#source.open();
    const opening = openSession(halyard, request, this.#opening({ isCollected }));
    const opened = unlessCancelled(opening, signal).catch((error) => {
      if (signal?.aborted) this.#abandonLate(opening);
      throw error;
    });
    const { session, after, leave, abandon } = await opened;
    if (this.#closing !== undefined) await abandon();
    this.#refuseIfClosed();
    const openForReading = () => this.#source.openForReading();
    const submission = { prompt: request.prompt, after, openForReading, signal };
    const executor = new SessionExecutor(session, submission);
    this.#executors.add(executor);
    const forget = () => {
      this.#executors.delete(executor);
      leave();
    };
    void executor.ended.finally(forget).catch(() => {}); // the executor's readers receive the error
    return { executor, leave, abandon };
  }

  /** Runs the checks of `initialize` if they have not run, and replaces a crashed server. */
  async #prepare(request: ExecuteRequest, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    const continued = request.sessionID ?? request.runtimeSessionID;
    this.#checking ??= this.#shareCheck(this.#check(contextOf(request), continued));
    await this.#checked(signal);
    await this.#requireServer(signal);
  }

  /** Stops a cancelled execution's session after it is opened, if it was opened only for this execution. */
  #abandonLate(opening: Promise<OpenedSession>): void {
    const abandoning = opening
      .then(({ abandon }) => abandon())
      .catch(() => {}) // the session does not exist
      .finally(() => this.#late.delete(abandoning));
    this.#late.add(abandoning);
  }

  /** Returns the runtime's name and the function that completes its requests. OpenCode runs a collected turn as one call. */
  #opening({ isCollected = false, recorded: usual }: OpeningOptions = {}): Opening {
    const runtime = this.name;
    const complete: Opening["complete"] = ({ projectID, model }, recorded = usual) => {
      const options =
        runtime === SERVED
          ? { ...(isCollected && { blocking: true }), ...(projectID && { project: projectID }) }
          : {};
      return this.#config.complete(runtime, { projectID, model, recorded, options });
    };
    return { runtime, complete };
  }

  #refuseIfClosed(): void {
    if (this.#closing !== undefined)
      throw new HalyardError(
        "invalid_input",
        `The runtime ${this.name} was closed. Create a new runtime.`,
      );
  }
}

/** Rejects as soon as the signal is aborted: as `timed_out` at its deadline, otherwise as `cancelled`. */
async function unlessCancelled<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  try {
    return await unlessAborted(promise, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (isDeadline(signal)) throw deadlineError();
    const message = "The call was cancelled by its signal.";
    throw new HalyardError("cancelled", message, { cause: signal.reason });
  }
}

/** The runtime whose sessions share a server. */
const SERVED = "opencode";

function isInContainer({ host, container }: RuntimeContext): boolean {
  return host === "container" || (host === undefined && container !== undefined);
}
