import { whyUnavailable } from "../../core/availability.ts";
import { HalyardError } from "../../core/error.ts";
import { parseInput } from "../../core/parse-input.ts";
import type { HalyardSource } from "../halyard-source.ts";
import {
  type ExecuteOptions,
  ExecuteRequest,
  type ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import { SessionExecutor } from "./executor.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import type { Runtime, StreamingExecutor } from "./runtime.ts";

interface Execution extends Pick<OpenedSession, "leave" | "abandon"> {
  readonly executor: SessionExecutor;
}

/** A runtime of Halyard's, and whatever is being executed with it. */
export class HalyardRuntime implements Runtime {
  readonly name: string;
  readonly #factoryKey: string | undefined;
  readonly #source: HalyardSource;
  readonly #executors = new Set<SessionExecutor>();
  /** Those that have no executor yet. */
  readonly #beginning = new Set<Promise<Execution>>();
  #context: RuntimeContext = {};
  #checking: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(name: string, key: string | undefined, source: HalyardSource) {
    this.name = name;
    this.#factoryKey = key;
    this.#source = source;
  }

  async initialize(context?: RuntimeContext): Promise<void> {
    this.#refuseIfClosed();
    if (context) this.#context = parseInput(RuntimeContext, context);
    this.#checking ??= this.#check();
    try {
      await this.#checking;
    } catch (error) {
      this.#checking = undefined; // what is missing may be there next time
      throw error;
    }
  }

  async isAvailable(): Promise<boolean> {
    const halyard = await this.#source.open();
    const { availability } = await halyard.examine(this.name);
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

  async ping(): Promise<void> {
    this.#refuseIfClosed();
    this.#checking = undefined;
    await this.initialize();
    await Promise.all([...this.#executors].map((executor) => executor.ping()));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await Promise.all([
      ...[...this.#executors].map((executor) => executor.close()),
      Promise.allSettled(this.#beginning), // each finds that it is too late
    ]);
    await this.#source[Symbol.asyncDispose]();
  }

  async #check(): Promise<void> {
    const halyard = await this.#source.open();
    const { availability, signedIn, advice } = await halyard.examine(this.name);
    const problem = whyUnavailable(this.name, availability);
    if (problem) throw problem;
    if (signedIn !== "no" || this.#hasCredentials()) return;
    const message = `${this.name} has no credentials: ${advice.join("; ")}`;
    throw new HalyardError("not_signed_in", message);
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
    await this.initialize();
    const request = parseInput(ExecuteRequest, { ...this.#context, ...input });
    const halyard = await this.#source.open();
    const opening = { runtime: this.name, options: this.#optionsFor({ isCollected }) };
    const { session, after, leave, abandon } = await openSession(halyard, request, opening);
    if (this.#closing !== undefined) await abandon();
    this.#refuseIfClosed();
    const executor = new SessionExecutor(session, { prompt: request.prompt, after, ...options });
    this.#executors.add(executor);
    const forget = () => {
      this.#executors.delete(executor);
      leave();
    };
    void executor.done.finally(forget).catch(() => {}); // as above
    return { executor, leave, abandon };
  }

  /** What only one runtime understands. */
  #optionsFor({ isCollected }: { isCollected: boolean }): Record<string, unknown> {
    if (this.name === "droid" && this.#factoryKey) return { factoryApiKey: this.#factoryKey };
    return this.name === "opencode" && isCollected ? { blocking: true } : {};
  }

  #hasCredentials(): boolean {
    const { model } = this.#context;
    const isGiven = typeof model === "object" && (model.apiKey ?? model.baseUrl) !== undefined;
    return isGiven || (this.name === "droid" && this.#factoryKey !== undefined);
  }

  #refuseIfClosed(): void {
    if (this.#closing !== undefined)
      throw new HalyardError("invalid_input", `this ${this.name} was closed`);
  }
}
