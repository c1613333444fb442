import { resolve } from "node:path";
import { HalyardError } from "../../core/error.ts";
import { requireSession } from "../../core/find-session.ts";
import type { Halyard, Session } from "../../core/halyard.ts";
import { parseInput } from "../../core/parse-input.ts";
import { hasEnded } from "../../core/projection.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { gasTownNames } from "../../schema/gas-town.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import {
  type AgentRuntime,
  Message,
  ResumeOptions,
  SessionFilter,
  type SessionHandle,
  StartOptions,
} from "./agent-runtime.ts";
import { deliver, type RetryPolicy } from "./deliver.ts";
import { isRunning, toHandle } from "./handle.ts";

/** Where the sessions are, and how patiently they are spoken to. */
export interface AriOptions extends HalyardSourceOptions {
  /** Three more attempts, half a second apart at first, unless given. */
  readonly retry?: Partial<RetryPolicy>;
}

/** The runtime interface of Gas Town. Its sessions go on when this process ends. */
export function createAgentRuntime({ retry, ...options }: AriOptions = {}): AgentRuntime {
  const create = { outlive: true, onDispose: "detach", ...options.create } as const;
  const source = new HalyardSource({ ...options, create });
  return new HalyardAgentRuntime(source, { ...usualRetry, ...retry });
}

const usualRetry: RetryPolicy = { retries: 3, baseMs: 500, maxMs: 8000 };

class HalyardAgentRuntime implements AgentRuntime {
  readonly #source: HalyardSource;
  readonly #retry: RetryPolicy;

  constructor(source: HalyardSource, retry: RetryPolicy) {
    this.#source = source;
    this.#retry = retry;
  }

  async start(input: StartOptions): Promise<SessionHandle> {
    const {
      workDir: cwd,
      runtimeName: runtime,
      mode,
      ...options
    } = parseInput(StartOptions, input);
    const halyard = await this.#source.open();
    const session = await halyard.start({
      runtime,
      cwd,
      accountDir: options.accountDir,
      host: mode === "minimal" ? "local" : mode,
      env: { GT_WORKDIR: cwd, ...options.env },
      model: options.model,
      permissions: options.permissions,
    });
    try {
      await session.ready();
      const prompts = [await bootstrapOf(halyard, session), options.initialPrompt];
      const text = prompts.filter((prompt) => prompt !== undefined).join("\n\n");
      if (text !== "") await deliver(session, text, { retry: this.#retry });
    } catch (error) {
      await session.stop("it could not be launched");
      throw error;
    }
    return toHandle(session.info);
  }

  async resume(handle: SessionHandle, input: ResumeOptions = {}): Promise<SessionHandle> {
    const { model, env } = parseInput(ResumeOptions, input);
    const { halyard, info } = await this.#find(handle);
    const session = await halyard.resume(info.id, { model, env: { GT_WORKDIR: info.cwd, ...env } });
    return toHandle(session.info);
  }

  async sendMessage(handle: SessionHandle, input: Message): Promise<Receipt> {
    const { text, delivery, timeout } = parseInput(Message, input);
    return deliver(this.#reach(handle, delivery), text, { timeout, retry: this.#retry });
  }

  async stop(handle: SessionHandle, reason: string): Promise<void> {
    const { halyard, info } = await this.#find(handle);
    await halyard.stop(info.id, reason);
  }

  async isReady(handle: SessionHandle): Promise<boolean> {
    const { halyard, info } = await this.#find(handle);
    return info.state !== "starting" && isRunning(info, await halyard.processes());
  }

  async detectRunning(handle: SessionHandle): Promise<boolean> {
    const { halyard, info } = await this.#find(handle);
    return isRunning(info, await halyard.processes());
  }

  async listSessions(input: SessionFilter = {}): Promise<SessionHandle[]> {
    const { runtime, workDir: cwd, rig, role, running } = parseInput(SessionFilter, input);
    const halyard = await this.#source.open();
    const labels = { ...(rig && { "gt.rig": rig }), ...(role && { "gt.role": role }) };
    const filter = { labels, ...(runtime && { runtime }), ...(cwd && { cwd: resolve(cwd) }) };
    const sessions = await halyard.sessions(filter);
    const processes = running === undefined ? [] : await halyard.processes();
    return sessions
      .filter((info) => running === undefined || isRunning(info, processes) === running)
      .map(toHandle);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source[Symbol.asyncDispose]();
  }

  /** A session that runs, to be sent a message by that way. */
  async #reach(handle: SessionHandle, way: Message["delivery"]): Promise<Session> {
    const { halyard, info } = await this.#find(handle);
    if (hasEnded(info))
      throw new HalyardError("session_stopped", `${info.id} has ended; resume it to go on`);
    if (way) await requireWay(halyard, info, way);
    return halyard.resume(info.id, { env: { GT_WORKDIR: info.cwd } });
  }

  async #find({ sessionID }: SessionHandle): Promise<{ halyard: Halyard; info: SessionInfo }> {
    const halyard = await this.#source.open();
    return { halyard, info: await requireSession(halyard, sessionID) };
  }
}

/** What a runtime whose hooks do not tell it has to be told, where it has a part in the town. */
async function bootstrapOf(halyard: Halyard, { info }: Session): Promise<string | undefined> {
  const hasPart = gasTownNames.some(({ label }) => label in info.labels);
  return hasPart ? (await halyard.examine(info.runtime)).bootstrap : undefined;
}

async function requireWay(
  halyard: Halyard,
  { host, runtime }: SessionInfo,
  way: NonNullable<Message["delivery"]>,
): Promise<void> {
  const ways = host === "tmux" ? ["tmux"] : ((await halyard.examine(runtime)).inputs ?? ["rpc"]);
  if (ways.includes(way)) return;
  const message = `${runtime} on the ${host} host gets messages by ${ways.join(" or ")}, not by ${way}`;
  throw new HalyardError("unsupported", message);
}
