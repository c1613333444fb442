import { resolve } from "node:path";
import { z } from "zod";
import { unlessAborted } from "../../async/unless-aborted.ts";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { sessionEnded } from "../../errors/session-ended.ts";
import { resumeAnywhere } from "../../halyard/resume-anywhere.ts";
import { hasEnded } from "../../log/projection.ts";
import type { SessionId } from "../../schema/id.ts";
import type { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import {
  type AgentRuntime,
  type Context,
  type DeliveryReceipt,
  Message,
  ResumeOptions,
  SessionFilter,
  type SessionHandle,
  StartOptions,
} from "./agent-runtime.ts";
import { deliver, type RetryPolicy } from "./deliver.ts";
import { isRunning, requireUnused, sessionOf, toHandle } from "./handle.ts";
import { gasTownNames } from "./names.ts";
import { wayInto } from "./ways.ts";

/** Options for `createAgentRuntime`. */
export interface AriOptions extends HalyardSourceOptions {
  /**
   * The retry policy for messages that the runtime rejects. Defaults to the adapter's number of retries, or to three, with
   * delays from 500 ms to 8 s.
   */
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/**
 * Creates Gas Town's runtime interface. By default, the interface creates a Halyard instance: its sessions keep running
 * after this process exits, and other processes of the same user can use the sessions' handles. While this process runs a
 * session, Halyard forwards the calls of other processes to this process.
 */
export function createAgentRuntime({ retry = {}, ...options }: AriOptions = {}): AgentRuntime {
  const usual = { detached: true, onDispose: "detach", defaultRuntime: "claude" } as const;
  const create = { ...usual, ...options.create };
  const source = new HalyardSource({ ...options, create }, { isReachable: true });
  return new HalyardAgentRuntime(source, retry);
}

const usualRetry: RetryPolicy = { retries: 3, baseMs: 500, maxMs: 8000 };

class HalyardAgentRuntime implements AgentRuntime {
  readonly #source: HalyardSource;
  readonly #retry: Partial<RetryPolicy>;
  /** Reports of inspected runtimes. Cached, because an inspection may start the program. */
  readonly #reports = new Map<string, Promise<RuntimeReport>>();
  /** The pending stops of sessions that an aborted call opened, by session id or by launch. */
  readonly #late = new Map<SessionId | Promise<Session>, Promise<void>>();

  constructor(source: HalyardSource, retry: Partial<RetryPolicy>) {
    this.#source = source;
    this.#retry = retry;
  }

  async start(input: StartOptions, context: Context = {}): Promise<SessionHandle> {
    const options = parseInput(StartOptions, input);
    const { signal } = context;
    const halyard = await guarded(this.#source.open(), context);
    const { GT_SESSION_ID: asked } = options.env;
    if (asked) await requireUnused(halyard, asked);
    signal?.throwIfAborted();
    const launching = launch(halyard, options);
    const session = await guarded(launching, context).catch((error) => {
      if (signal?.aborted) this.#stopLate(launching, launching);
      throw error;
    });
    try {
      refuseFallback(session);
      if (asked) await requireUnused(halyard, asked, session.info);
      await guarded(session.ready(), context);
      const report = await guarded(this.#inspect(halyard, session.info), context);
      const prompts = [bootstrapOf(report, session), options.initialPrompt];
      const text = prompts.filter((prompt) => prompt !== undefined).join("\n\n");
      if (text !== "")
        await deliver(session, text, { retry: this.#retryOf(session.info, report), signal });
    } catch (error) {
      await session.stop("the launch failed");
      throw error;
    }
    return toHandle(session.info);
  }

  async resume(
    handle: SessionHandle,
    { signal, ...input }: ResumeOptions & Context = {},
  ): Promise<SessionHandle> {
    const { model, env } = parseInput(ResumeOptions, input);
    const { halyard, info } = await this.#find(handle, { signal });
    await this.#late.get(info.id);
    const given = { model, env: { GT_WORKDIR: info.cwd, ...env } };
    const resuming = resumeAnywhere(halyard, info.id, given);
    const session = await guarded(resuming, { signal }).catch((error) => {
      if (signal?.aborted && hasEnded(info)) this.#stopLate(info.id, resuming);
      throw error;
    });
    return toHandle(session.info);
  }

  async sendMessage(
    handle: SessionHandle,
    input: Message,
    { signal }: Context = {},
  ): Promise<DeliveryReceipt> {
    const { text, delivery: asked, timeout } = parseInput(Message, input);
    const { halyard, info } = await this.#find(handle, { signal });
    if (hasEnded(info)) throw sessionEnded(info.id);
    const report = await guarded(this.#inspect(halyard, info), { signal });
    const delivery = wayInto(info, report, asked);
    const opening = resumeAnywhere(halyard, info.id, { env: { GT_WORKDIR: info.cwd } });
    const retry = this.#retryOf(info, report);
    const limit = timeout === 0 ? undefined : timeout;
    return { ...(await deliver(opening, text, { timeout: limit, retry, signal })), delivery };
  }

  async stop(handle: SessionHandle, reason: string, context: Context = {}): Promise<void> {
    const { halyard, info } = await this.#find(handle, context);
    await guarded(halyard.stop(info.id, reason), context);
  }

  async isReady(handle: SessionHandle, context: Context = {}): Promise<boolean> {
    const { halyard, info } = await this.#find(handle, context);
    if (info.state === "starting") return false;
    return isRunning(info, await guarded(halyard.processes(), context));
  }

  async detectRunning(handle: SessionHandle, context: Context = {}): Promise<boolean> {
    const { halyard, info } = await this.#find(handle, context);
    return isRunning(info, await guarded(halyard.processes(), context));
  }

  async listSessions(input: SessionFilter = {}, context: Context = {}): Promise<SessionHandle[]> {
    const { runtime, workDir: cwd, rig, role, running } = parseInput(SessionFilter, input);
    const halyard = await guarded(this.#source.open(), context);
    const labels = { ...(rig && { "gt.rig": rig }), ...(role && { "gt.role": role }) };
    const filter = { labels, ...(runtime && { runtime }), ...(cwd && { cwd: resolve(cwd) }) };
    const sessions = await guarded(halyard.sessions(filter), context);
    const processes = running === undefined ? [] : await guarded(halyard.processes(), context);
    return sessions
      .filter((info) => running === undefined || isRunning(info, processes) === running)
      .map(toHandle);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#late.values());
    await this.#source[Symbol.asyncDispose]();
  }

  /** Stops an aborted call's session as soon as the session is open. */
  #stopLate(key: SessionId | Promise<Session>, opening: Promise<Session>): void {
    const stopping = opening
      .then((session) => session.stop("the call was aborted"))
      .catch(() => {}) // the session could not be opened
      .finally(() => this.#late.delete(key));
    this.#late.set(key, stopping);
  }

  async #find(
    handle: SessionHandle,
    context: Context,
  ): Promise<{ halyard: Halyard; info: SessionInfo }> {
    const { sessionID } = parseInput(HandleInput, handle);
    const finding = this.#source
      .open()
      .then(async (halyard) => ({ halyard, info: await sessionOf(halyard, sessionID) }));
    return guarded(finding, context);
  }

  #inspect(halyard: Halyard, { runtime }: SessionInfo): Promise<RuntimeReport> {
    const known = this.#reports.get(runtime);
    if (known) return known;
    const inspection = halyard.inspect(runtime);
    this.#reports.set(runtime, inspection);
    inspection.catch(() => this.#reports.delete(runtime)); // the next call inspects the runtime again
    return inspection;
  }

  #retryOf({ host }: SessionInfo, report: RuntimeReport): RetryPolicy {
    const { readiness } = host === "tmux" ? (report.onScreen ?? report) : report;
    return { ...usualRetry, ...(readiness && { retries: readiness.retries }), ...this.#retry };
  }
}

/** The only field of a handle that the methods read. */
const HandleInput = z.looseObject({ sessionID: z.string().min(1) });

/** Settles like the promise. If the signal is aborted first, rejects with the signal's reason. */
function guarded<T>(promise: Promise<T>, { signal }: Context): Promise<T> {
  return signal ? unlessAborted(promise, signal) : promise;
}

/**
 * Starts the session. If no policy is given, the session allows tools, and immediately denies requests that `allow-all`
 * does not allow.
 */
function launch(
  halyard: Halyard,
  { workDir: cwd, runtimeName, mode, env, ...options }: ReturnType<typeof StartOptions.parse>,
): Promise<Session> {
  const { accountDir, model, permissions, reasoning } = options;
  return halyard.start({
    runtime: runtimeName,
    cwd,
    accountDir,
    host: mode === "minimal" ? "local" : mode,
    env: { GT_WORKDIR: cwd, ...env },
    model,
    reasoning,
    permissions: permissions ?? "allow-all",
    attended: permissions !== undefined,
  });
}

/**
 * Throws if a fallback replaced the runtime that the rig, the registry or the default selected, because the session's
 * messages and hooks would differ.
 */
function refuseFallback({ info }: Session): void {
  if (info.fallback) throw new HalyardError("runtime_unavailable", info.fallback.reason);
}

/** Returns the bootstrap prompt for a runtime whose hooks do not run `gt prime`, if the session belongs to a town. */
function bootstrapOf({ bootstrap }: RuntimeReport, { info }: Session): string | undefined {
  return gasTownNames.some(({ label }) => label in info.labels) ? bootstrap : undefined;
}
