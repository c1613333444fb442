import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { anySignal } from "../../../async/any-signal.ts";
import type { ContainerEngine, ContainerInfo } from "../../../contracts/container-engine.ts";
import type { Exit, Health, ProcessIdentity } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { StartedRecord } from "../record.ts";
import { check, oomKills, type Script, shell, sweep, terminate } from "../scripts.ts";
import { DIRECTORY_LABEL } from "../spec.ts";

/** The fields of a record that a `ContainerProgram` needs. */
export type ProgramRecord = Pick<
  StartedRecord,
  "container" | "startedAt" | "directory" | "isExisting" | "marker" | "started"
>;

/** A program in a container, controlled through the engine. */
export class ContainerProgram {
  readonly identity: ProcessIdentity;
  readonly #engine: ContainerEngine;
  readonly #record: ProgramRecord;
  /**
   * True after Halyard has started to end the program, so that the end of the container is not reported as the reason.
   */
  #isEnding = false;

  constructor(engine: ContainerEngine, record: ProgramRecord) {
    const { container, startedAt, started } = record;
    this.#engine = engine;
    this.#record = record;
    this.identity = identityIn({ id: container, startedAt }, started);
  }

  /** Returns the program's health: `alive` also in a paused container, and `unknown` if the engine does not respond. */
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

  /**
   * Returns how many of the container's processes the kernel has killed because of the memory limit, or 0 if unknown.
   */
  async oomKills(): Promise<number> {
    const output = await this.#run(oomKills).catch(() => undefined);
    return Number(output?.stdout.trim()) || 0;
  }

  /**
   * Returns the exit. If the container was stopped, restarted or removed, returns that as the reason instead, unless
   * Halyard ended the program.
   */
  async explain(exit: Exit): Promise<Exit> {
    const { container, startedAt } = this.#record;
    if (this.#isEnding) return exit;
    let last = exit;
    const looks = exit.signal === undefined ? 1 : LAST_LOOKS;
    for (let attempt = 0; attempt < looks; attempt++) {
      const found = await this.#engine.inspect(container).catch(() => null); // null if the engine does not respond
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

  /**
   * Ends the program and its descendants; see `RecordedProgram`. Rejects if the engine does not respond, because the
   * program may still be running.
   */
  async end({ insist, ended }: { insist: AbortSignal; ended: AbortSignal }): Promise<void> {
    const { pid, startTime } = this.identity;
    this.#isEnding = true;
    if ((await this.#state()) === "paused") await this.#unpause();
    if (!(await this.#containerRuns())) return;
    if (!ended.aborted && !insist.aborted) {
      const signaled = await this.#run(terminate, String(pid), startTime).catch(() => undefined);
      if (signaled) await whenAny([insist, ended]); // if the container could not run the script, no signal was sent
    }
    await this.#sweep();
  }

  /**
   * Kills the remaining processes. If this fails three times, stops the container, or throws `host_unavailable` if
   * Halyard did not create the container.
   */
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
      throw this.#unavailable(
        `cannot start another process, so the agent could not be stopped. Run "${this.#engine.name} restart ${this.#record.container}" to stop the agent`,
      );
    await this.#engine.stop(this.#record.container, { graceSeconds: 0 });
  }

  async #unpause(): Promise<void> {
    if (this.#record.isExisting)
      throw this.#unavailable(
        `is paused, so the agent could not be stopped. Run "${this.#engine.name} unpause ${this.#record.container}" and try again`,
      );
    await this.#engine.unpause(this.#record.container);
  }

  #unavailable(what: string): HalyardError {
    return new HalyardError("host_unavailable", `The container ${this.#record.container} ${what}.`);
  }

  async #containerRuns(): Promise<boolean> {
    return (await this.#state()) === "running";
  }

  /**
   * Returns `over` if the container is neither running nor paused, was restarted, or was not created for this program.
   */
  async #state(): Promise<"running" | "paused" | "over"> {
    const { container, startedAt, directory, isExisting = false } = this.#record;
    const found = await this.#engine.inspect(container);
    if (found?.startedAt !== startedAt) return "over";
    if (!isExisting && found.labels[DIRECTORY_LABEL] !== directory) return "over";
    return found.status === "running" || found.status === "paused" ? found.status : "over";
  }

  #run(script: Script, ...args: string[]) {
    return this.#engine.exec(this.#record.container, { args: shell(script, ...args) });
  }
}

/**
 * The number of checks after a signal has killed the program. An engine kills a container's programs shortly before it
 * reports that the container has stopped.
 */
const LAST_LOOKS = 8;
const LAST_LOOK_EVERY_MS = 60;

/** Returns the identity of a process in a container. Each start of the container is treated as a boot. */
export function identityIn(
  { id, startedAt }: Pick<ContainerInfo, "id" | "startedAt">,
  { pid, startTime }: Pick<ProcessIdentity, "pid" | "startTime">,
): ProcessIdentity {
  return { pid, startTime, bootId: `${id}@${startedAt}` };
}

function whenAny(signals: readonly AbortSignal[]): Promise<void> {
  const any = anySignal(signals);
  return new Promise((resolve) => {
    if (any.aborted) resolve();
    else any.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Converts an exit code. Like shells, engines report a signal as 128 plus its number. A program that exits with such a
 * code is therefore reported as killed.
 */
export function toExit(code: number | undefined): Exit {
  if (code === undefined) return {};
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal ? { signal: signal[0] } : { code };
}
