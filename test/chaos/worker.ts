import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { anySignal } from "../../src/async/any-signal.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { FollowOptions } from "../../src/contracts/read-log.ts";
import { HalyardError } from "../../src/errors/error.ts";
import { newSessionId, newTurnId } from "../../src/errors/require-id.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionId, TurnId } from "../../src/schema/id.ts";
import { liveStates } from "../../src/schema/session/session-state.ts";
import type { StartRequest } from "../../src/schema/session/start-request.ts";
import type { User } from "../cli/start-cli.ts";
import type { Chance } from "./chance.ts";
import type { Daemons } from "./daemons.ts";

/** The session of a worker, and the daemons that run it. */
export interface WorkerOptions {
  readonly daemons: Daemons;
  readonly user: User;
  readonly chance: Chance;
  readonly request: StartRequest;
  /** Returns the next prompt. */
  readonly prompt: (chance: Chance) => string;
  readonly signal: AbortSignal;
}

/** Sends messages to one session and reads its events while the daemon, the agent and the readers are killed. */
export class Worker {
  readonly id: SessionId = newSessionId();
  /** The accepted turns. Each must end exactly once. */
  readonly taken: TurnId[] = [];
  /** The events that a reader received across all its connections. */
  readonly read: StreamEvent[] = [];
  readonly #options: WorkerOptions;
  readonly #over = new AbortController();
  readonly #ends: AbortSignal;
  kills = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#ends = anySignal([options.signal, this.#over.signal]);
  }

  async work(): Promise<void> {
    const { daemons, request } = this.#options;
    await daemons.through(async (halyard) => {
      if (!(await halyard.find(this.id))) await halyard.start({ ...request, id: this.id });
    });
    await Promise.all([this.#talk(), this.#follow(), this.#killAgents()]);
  }

  /** True if the agent died before it stored anything, so that the session cannot be resumed. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Sends messages one after another. Retries each one until it is accepted or fails with a permanent error. */
  async #talk(): Promise<void> {
    const { chance, prompt } = this.#options;
    while (!this.#ends.aborted) {
      await this.#send(newTurnId(), prompt(chance));
      await sleep(chance.between(0, 400));
    }
  }

  async #send(id: TurnId, text: string): Promise<void> {
    await this.#options.daemons.through(async (halyard) => {
      const info = await halyard.find(this.id);
      if (info && !liveStates.includes(info.state)) await this.#resume(halyard);
      if (this.isOver) return;
      const receipt = await (await halyard.session(this.id)).send(text, { id }).accepted;
      if (receipt.status !== "failed") this.taken.push(id);
      else if (again.includes(receipt.error.code))
        throw new HalyardError(
          "unreachable",
          `The message was not delivered: ${receipt.error.message}`,
        );
    });
  }

  async #resume(halyard: Halyard): Promise<void> {
    const { model } = this.#options.request;
    try {
      await halyard.resume(this.id, model ? { model } : {});
    } catch (error) {
      if (!(error instanceof HalyardError && error.code === "not_resumable")) throw error;
      this.#over.abort();
    }
  }

  async #follow(): Promise<void> {
    const { daemons, chance } = this.#options;
    while (!this.#ends.aborted) {
      const cut = anySignal([this.#ends, AbortSignal.timeout(chance.between(200, 6_000))]);
      await daemons.through((halyard) => this.readOn(halyard, { signal: cut }));
      await sleep(10);
    }
  }

  /** Continues reading after the last received event. */
  async readOn(halyard: Halyard, options: Pick<FollowOptions, "signal" | "follow">): Promise<void> {
    const after = this.read.at(-1)?.seq ?? 0;
    for await (const event of halyard.events(this.id, { after, ...options })) this.read.push(event);
  }

  async #killAgents(): Promise<void> {
    const { chance, user } = this.#options;
    const signal = this.#ends;
    while (!signal.aborted) {
      await sleep(chance.between(4_000, 25_000), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const record = join(user.home, "run", this.id, "process.json");
      const text = await readFile(record, "utf8").catch(() => undefined);
      const pid = text && JSON.parse(text).identity?.pid;
      if (typeof pid !== "number") continue;
      try {
        process.kill(pid, "SIGKILL");
        this.kills++;
      } catch {
        // Ignored: the process had already exited.
      }
    }
  }
}

/** The error codes of transient failures, after which a retry may succeed. */
const again: readonly string[] = ["unreachable", "session_stopped", "session_owned"];
