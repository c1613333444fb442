import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { ContainerInfo, ContainerRuntime } from "../../containers/container-runtime.ts";
import type { Exit, Health, ProcessIdentity } from "../../core/host.ts";
import type { StartedRecord } from "./record.ts";
import { ask, check, hunger, type Script, shell, sweep } from "./scripts.ts";

/** What has to be known of a program for that. */
export type ProgramRecord = Pick<StartedRecord, "container" | "startedAt" | "marker" | "started">;

/** A program in a container, as far as the engine and the container can tell of it. */
export class ContainerProgram {
  readonly identity: ProcessIdentity;
  readonly #engine: ContainerRuntime;
  readonly #record: ProgramRecord;

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
      if (!(await this.#containerRuns())) return "dead";
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

  /** Ends it and all it started; see `RecordedProgram`. */
  async end({ insist, ended }: { insist: AbortSignal; ended: AbortSignal }): Promise<void> {
    const { pid, startTime } = this.identity;
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
    await this.#engine.stop(this.#record.container, { graceSeconds: 0 });
  }

  async #containerRuns(): Promise<boolean> {
    const found = await this.#engine.inspect(this.#record.container);
    return found?.status === "running" && found.startedAt === this.#record.startedAt;
  }

  #run(script: Script, ...args: string[]) {
    return this.#engine.exec(this.#record.container, { args: shell(script, ...args) });
  }
}

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
