import type { ContainerRuntime } from "../../containers/container-runtime.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { withLock } from "../recording/lock.ts";
import { RecordedProcess } from "../recording/recorded-process.ts";
import { type RunFiles, runFilesIn } from "../recording/run-files.ts";
import { releaseContainer, releaseExisting } from "./container.ts";
import type { Engines } from "./engines.ts";
import { watchHealth } from "./exit-watch.ts";
import { ContainerProgram } from "./program.ts";
import { type ContainerRecord, readContainerRecord, type StartedRecord } from "./record.ts";
import { find, shell } from "./scripts.ts";

/** Finds a program again by its run directory; undefined where nothing was started. */
export async function attachInContainer(
  engines: Engines,
  runDir: string,
): Promise<RecordedProcess | undefined> {
  const files = runFilesIn(runDir);
  const record = readContainerRecord(files.record);
  if (record === undefined) return undefined;
  const engine = await engines.open(record.engine);
  const started = await findStarted(engine, record);
  if (started === undefined) return undefined;
  const program = new ContainerProgram(engine, started);
  return holdProgram({ engine, record: started, program, files }, watchHealth(program));
}

/** Whoever started it died before it heard from the launcher: it is found by its mark. */
async function findStarted(
  engine: ContainerRuntime,
  record: ContainerRecord,
): Promise<StartedRecord | undefined> {
  const { started, container, marker } = record;
  if (started !== undefined) return { ...record, started };
  const status = await engine.status(container).catch(() => undefined);
  if (status !== "running") return undefined;
  const { stdout } = await engine.exec(container, { args: shell(find, marker) });
  const [pid, startTime] = stdout.trim().split(" ");
  if (!pid || startTime === undefined) return undefined;
  return { ...record, started: { pid: Number(pid), startTime } };
}

export interface HeldProgram {
  readonly engine: ContainerRuntime;
  readonly record: StartedRecord;
  readonly program: ContainerProgram;
  readonly files: RunFiles;
}

/** A program with its recording. With the last one of a container, the container ends. */
export function holdProgram(
  { engine, record, program, files }: HeldProgram,
  watch: ExitWatch,
): RecordedProcess {
  const { container, directory, isExisting = false } = record;
  return new RecordedProcess({
    identity: program.identity,
    files,
    watch,
    health: () => program.health(),
    requireKnown: async () => void (await engine.ping()),
    async end(signals) {
      await program.end(signals);
      const release = isExisting ? releaseExisting : releaseContainer;
      await withLock(directory, () => release(engine, container, directory));
    },
  });
}
