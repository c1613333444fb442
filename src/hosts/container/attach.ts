import type { ContainerEngine } from "../../contracts/container-engine.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { withLock } from "../recording/lock.ts";
import { RecordedProcess } from "../recording/recorded-process.ts";
import { type RunFiles, runFilesIn } from "../recording/run-files.ts";
import { releaseContainer, releaseExisting } from "./container.ts";
import type { Engines } from "./engines/engines.ts";
import { watchHealth } from "./processes/exit-watch.ts";
import { ContainerProgram } from "./processes/program.ts";
import { type ContainerRecord, readContainerRecord, type StartedRecord } from "./record.ts";
import { find, shell } from "./scripts.ts";

/**
 * Finds a program by its run directory and its container directory. Returns undefined if the run directory contains no
 * record for this container directory, or if the record has no pid and the program is not found in the container.
 */
export async function attachInContainer(
  engines: Engines,
  runDir: string,
  directory: string,
): Promise<RecordedProcess | undefined> {
  const files = runFilesIn(runDir);
  const record = readContainerRecord(files.record, directory);
  if (record === undefined) return undefined;
  const engine = await engines.open(record.engine);
  const started = await findStarted(engine, record);
  if (started === undefined) return undefined;
  const program = new ContainerProgram(engine, started);
  return holdProgram({ engine, record: started, program, files }, watchHealth(program));
}

/**
 * Returns the record with the program's pid and start time. If Halyard died before it recorded them, finds the program
 * by its marker. Returns undefined if the program is not found.
 */
async function findStarted(
  engine: ContainerEngine,
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
  readonly engine: ContainerEngine;
  readonly record: StartedRecord;
  readonly program: ContainerProgram;
  readonly files: RunFiles;
}

/** Returns a program's handle. When the container's last program ends, releases the container. */
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
