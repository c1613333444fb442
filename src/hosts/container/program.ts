import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { ContainerInfo, ContainerRuntime } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import type { Exit, Health, ProcessIdentity } from "../../core/host.ts";
import type { StartedRecord } from "./record.ts";
import { ask, check, hunger, type Script, shell, sweep } from "./scripts.ts";
import { PLACE_LABEL } from "./spec.ts";

/** What has to be known of a program for that. */
export type ProgramRecord = Pick<
  StartedRecord,
  "container" | "startedAt" | "directory" | "isExisting" | "marker" | "started"
>;

/** A program in a container, as far as the engine and the container can tell of it. */
export class ContainerProgram {
  readonly identity: ProcessIdentity;
  readonly #engine: ContainerRuntime;
  readonly #record: ProgramRecord;
  /** Halyard itself ends it, and its container with it. */
  #isEnding = false;

  constructor(engine: ContainerRuntime, record: ProgramRecord) {
    const { container, startedAt, started } = record;
    this.#engine = engine;
    this.#record = record;
    this.identity = identityIn({ id: container, startedAt }, started);
  }

  /** `unknown` where the engine does not answer. */
  async health(): Promise<Health> {
    const { exec } = this.#record.started;
    try {
      const state = await this.#state();
      if (state !== "running") return state === "paused" ? "alive" : "dead";
      const isRunning = exec === undefined ? undefined : await this.#engine.execIsRunning(exec);
      if (isRunning !== undefined) return isRunning ? "alive" : "dead";
      const { pid, startTime } = this.identity;
      const { stdout } = await this.#run(check, String(pid), startTime);
      return stdout.trim() === "alive" ? "alive" : "dead";
    } catch {
      return "unknown";
    }
  }

  /** How many processes of its container the kernel has ended for want of memory; 0 where nobody can tell. */
  async starved(): Promise<number> {
    const told = await this.#run(hunger).catch(() => undefined);
    return Number(told?.stdout.trim()) || 0;
  }

  /** How it ended, with the reason if that is its container. */
  async explain(exit: Exit): Promise<Exit> {
    const { container, startedAt } = this.#record;
    if (this.#isEnding) return exit;
    let last = exit;
    const looks = exit.signal === undefined ? 1 : LAST_LOOKS;
    for (let attempt = 0; attempt < looks; attempt++) {
      const found = await this.#engine.inspect(container).catch(() => null); // the engine is gone too
      if (found === null) return exit;
      if (found === undefined) return { reason: "its container was removed" };
      if (found.startedAt !== startedAt)
        return { reason: `its container ${found.name} was restarted` };
      last =
        found.status === "running" ? exit : { reason: `its container ${found.name} was stopped` };
      await setTimeout(LAST_LOOK_EVERY_MS);
    }
    return last;
  }

  /** Ends it and all it started; see `RecordedProgram`. Rejects if the engine does not answer: it may run on. */
  async end({ insist, ended }: { insist: AbortSignal; ended: AbortSignal }): Promise<void> {
    const { pid, startTime } = this.identity;
    this.#isEnding = true;
    if ((await this.#state()) === "paused") await this.#unpause();
    if (!(await this.#containerRuns())) return;
    if (!ended.aborted && !insist.aborted) {
      const asked = await this.#run(ask, String(pid), startTime).catch(() => undefined);
      if (asked) await whenAny([insist, ended]); // otherwise there is nobody to wait for, or no way to ask
    }
    await this.#sweep();
  }

  /** What cannot be ended from inside, because nothing more can be started there, is ended with its container. */
  async #sweep(): Promise<void> {
    const { pid, startTime } = this.identity;
    for (let attempt = 0; attempt < 3; attempt++) {
      if (!(await this.#containerRuns())) return;
      const swept = await this.#run(sweep, String(pid), startTime, this.#record.marker).catch(
        () => undefined,
      );
      if (swept?.code === 0) return;
      await setTimeout(100);
    }
    if (this.#record.isExisting)
      throw this.#unavailable("starts no further process, so the agent could not be ended");
    await this.#engine.stop(this.#record.container, { graceSeconds: 0 });
  }

  async #unpause(): Promise<void> {
    if (this.#record.isExisting)
      throw this.#unavailable("is paused, so the agent could not be ended");
    await this.#engine.unpause(this.#record.container);
  }

  #unavailable(what: string): HalyardError {
    return new HalyardError("host_unavailable", `The container ${this.#record.container} ${what}.`);
  }

  async #containerRuns(): Promise<boolean> {
    return (await this.#state()) === "running";
  }

  /** `over` if the container does not run any more, runs anew, or is not the one that Halyard made for this program. */
  async #state(): Promise<"running" | "paused" | "over"> {
    const { container, startedAt, directory, isExisting = false } = this.#record;
    const found = await this.#engine.inspect(container);
    if (found?.startedAt !== startedAt) return "over";
    if (!isExisting && found.labels[PLACE_LABEL] !== directory) return "over";
    return found.status === "running" || found.status === "paused" ? found.status : "over";
  }

  #run(script: Script, ...args: string[]) {
    return this.#engine.exec(this.#record.container, { args: shell(script, ...args) });
  }
}

/** An engine kills the programs of a container a moment before it reports that the container has ended. */
const LAST_LOOKS = 8;
const LAST_LOOK_EVERY_MS = 60;

/** A container boots anew each time it is started. */
export function identityIn(
  { id, startedAt }: Pick<ContainerInfo, "id" | "startedAt">,
  { pid, startTime }: Pick<ProcessIdentity, "pid" | "startTime">,
): ProcessIdentity {
  return { pid, startTime, bootId: `${id}@${startedAt}` };
}

function whenAny(signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  return new Promise((resolve) => {
    if (any.aborted) resolve();
    else any.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Engines tell of a signal as shells do. A program that ends by itself with such a code is taken for killed. */
export function toExit(code: number | undefined): Exit {
  if (code === undefined) return {};
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal ? { signal: signal[0] } : { code };
}
