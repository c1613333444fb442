import { unlessAborted } from "../../async/unless-aborted.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { whyUnavailable } from "../../halyard/availability.ts";
import type { HalyardSource } from "../halyard-source.ts";
import {
  type ExecuteOptions,
  ExecuteRequest,
  type ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import { SessionExecutor } from "./executor.ts";
import { KeptServer } from "./kept-server.ts";
import { type OpenedSession, type Opening, openSession, startRequest } from "./open-session.ts";
import type { Runtime, StreamingExecutor } from "./runtime.ts";
import type { Completed, RuntimeConfig } from "./runtime-config.ts";

interface Execution extends Pick<OpenedSession, "leave" | "abandon"> {
  readonly executor: SessionExecutor;
}

/** One of Halyard's runtimes, with its server and the executors that are open. */
export class HalyardRuntime implements Runtime {
  readonly name: string;
  readonly #config: RuntimeConfig;
  readonly #source: HalyardSource;
  readonly #executors = new Set<SessionExecutor>();
  /** Executions without an executor yet. */
  readonly #beginning = new Set<Promise<Execution>>();
  /** Sessions of cancelled executions that are about to be stopped. */
  readonly #late = new Set<Promise<void>>();
  #context: RuntimeContext;
  #checking: Promise<void> | undefined;
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
    if (context) {
      this.#context = {
        ...this.#context,
        ...normalized(parseInput(RuntimeContext, withoutZeroValues(context))),
      };
      this.#checking = this.#checking?.catch(() => {}).then(() => this.#check());
    }
    this.#checking ??= this.#check();
    try {
      await (signal ? unlessAborted(this.#checking, signal) : this.#checking);
    } catch (error) {
      this.#checking = undefined; // the next call checks again
      throw error;
    }
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
    const pinging = this.#ping();
    await (signal ? unlessAborted(pinging, signal) : pinging);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Pings the server. Any other runtime is healthy if its open sessions are, except Droid, which is not checked, as in Oubliette. */
  async #ping(): Promise<void> {
    await this.initialize();
    if (this.name === "droid") return;
    if (this.#server) return this.#server.ping(); // a session starts a new server with its next message
    await Promise.all([...this.#executors].map((executor) => executor.ping()));
  }

  async #close(): Promise<void> {
    await Promise.all([
      ...[...this.#executors].map((executor) => executor.close()),
      Promise.allSettled(this.#beginning), // each of them rejects, because the runtime is closed
      this.#checking?.catch(() => {}),
    ]);
    await Promise.all(this.#late);
    await this.#server?.close();
    await this.#source[Symbol.asyncDispose]();
  }

  async #check(context = this.#context): Promise<void> {
    const halyard = await this.#source.open();
    const { availability, signedIn, advice } = await halyard.inspect(this.name);
    const problem = whyUnavailable(this.name, availability);
    if (problem && !isInContainer(context)) throw problem; // a container has its own program
    if (signedIn === "no") await this.#requireCredentials(context, advice);
    if (this.name === SERVED) await this.#keepServer(context);
  }

  async #requireCredentials(context: RuntimeContext, advice: readonly string[]): Promise<void> {
    const completed = await this.#opening().complete(context);
    if (isCredential(completed)) return;
    const { model } = context;
    const unknown = typeof model === "string" ? [`config/models.json has no model "${model}"`] : [];
    const key = this.name === "droid" ? "put api_key into config/factory.json, or " : "";
    const remedy = `${key}name a model of config/models.json`;
    const reasons = [...completed.ignored, ...unknown, remedy, ...advice];
    const message = `${this.name} has no credentials: ${reasons.join("; ")}`;
    throw new HalyardError("not_signed_in", message);
  }

  /** Replaces the server of an earlier context, or a crashed server. */
  async #keepServer(context: RuntimeContext): Promise<void> {
    const halyard = await this.#source.open();
    const request = await startRequest(context, this.#opening());
    const before = this.#server;
    if (!(await before?.isWell())) await before?.close(); // its session starts another
    this.#server = await KeptServer.open(halyard, request);
    await before?.close();
  }

  /** A server that has crashed is replaced before the next execution. */
  async #requireServer(): Promise<void> {
    if ((await this.#server?.isWell()) !== false) return;
    this.#checking = undefined;
    await this.initialize();
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
    const given = normalized(parseInput(ExecuteRequest, withoutZeroValues(input)));
    await unlessCancelled(this.#prepare(contextOf({ ...this.#context, ...given }), signal), signal);
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
    const submission = { prompt: request.prompt, after, openForReading, ...options };
    const executor = new SessionExecutor(session, submission);
    this.#executors.add(executor);
    const forget = () => {
      this.#executors.delete(executor);
      leave();
    };
    void executor.ended.finally(forget).catch(() => {}); // the executor's readers get the error
    return { executor, leave, abandon };
  }

  /** Without an earlier `initialize`, the first request decides whether its credentials suffice. */
  async #prepare(context: RuntimeContext, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    this.#checking ??= this.#check(context);
    await this.initialize();
    await this.#requireServer();
  }

  /** Stops the session of a cancelled execution. */
  #abandonLate(opening: Promise<OpenedSession>): void {
    const abandoning = opening
      .then(({ abandon }) => abandon())
      .catch(() => {}) // the session does not exist
      .finally(() => this.#late.delete(abandoning));
    this.#late.add(abandoning);
  }

  /** The options of OpenCode: sessions of a project share a server, and a collected turn is one blocking call. */
  #opening({ isCollected = false } = {}): Opening {
    const runtime = this.name;
    const complete: Opening["complete"] = ({ projectID, model }, recorded) => {
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
        `The runtime ${this.name} was closed. Create a new one.`,
      );
  }
}

/** Removes fields with a zero value of a Go struct: an empty string or null means that the field is not set. */
function withoutZeroValues(input: object): object {
  const { prompt, ...optional } = { prompt: undefined, ...input };
  const set = Object.entries(optional).filter(([, value]) => value !== "" && value !== null);
  return { prompt, ...Object.fromEntries(set) };
}

/** Rejects as `cancelled` as soon as the signal is aborted. */
async function unlessCancelled<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  try {
    return await unlessAborted(promise, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new HalyardError("cancelled", "The message was cancelled before it was sent.", {
      cause: signal.reason,
    });
  }
}

/** The runtime whose sessions share a server. */
const SERVED = "opencode";

/** Merges the alternative fields for the project id and for the container id. */
function normalized<C extends RuntimeContext>({ project, containerID, ...context }: C) {
  const projectID = typeof project === "object" ? project.id : project;
  const running = containerID !== undefined && {
    container: { ...context.container, containerId: containerID },
  };
  return { ...context, ...(projectID !== undefined && { projectID }), ...running };
}

/** Returns the fields of a request that `initialize` also accepts. */
function contextOf(request: RuntimeContext): RuntimeContext {
  const names = Object.keys(RuntimeContext.shape);
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)));
}

function isInContainer({ host, container }: RuntimeContext): boolean {
  return host === "container" || (host === undefined && container !== undefined);
}

function isCredential({ model, options }: Completed): boolean {
  return (model?.apiKey ?? model?.baseUrl ?? options.factoryApiKey) !== undefined;
}
