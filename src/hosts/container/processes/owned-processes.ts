import { basename, dirname, join } from "node:path";
import type { ContainerEngine, ContainerInfo } from "../../../contracts/container-engine.ts";
import type { OwnedProcess } from "../../../contracts/host.ts";
import { withLock } from "../../recording/lock.ts";
import { releaseContainer, releaseExisting } from "../container.ts";
import { containersIn } from "../container-paths.ts";
import type { Engines } from "../engines/engines.ts";
import { listProcesses, shell } from "../scripts.ts";
import { DIRECTORY_LABEL } from "../spec.ts";
import { watchHealth } from "./exit-watch.ts";
import { findEngines, findExistingRecords } from "./find-engines.ts";
import { readProcessTable } from "./process-table.ts";
import { ContainerProgram, identityIn } from "./program.ts";

/**
 * Finds every process that was started for a run directory in one of this home's containers, including descendants.
 * Omits the processes of an engine that does not respond.
 */
export async function findOwned(engines: Engines, home: string): Promise<OwnedProcess[]> {
  return (await findInside(engines, home)).map(({ process }) => process);
}

/**
 * Ends a process and its descendants. Sends SIGTERM. When the process has exited, or after 2 s, sends SIGKILL to the
 * remaining processes. When the container's last program ends, releases the container. Has no effect if the process is
 * not found.
 */
export async function endOwned(
  engines: Engines,
  home: string,
  { identity: { pid, startTime, bootId } }: OwnedProcess,
): Promise<void> {
  const inside = await findInside(engines, home);
  const found = inside.find(
    ({ process: { identity } }) =>
      identity.pid === pid && identity.startTime === startTime && identity.bootId === bootId,
  );
  if (found === undefined) return;
  const { engine, container, marker, directory, isExisting } = found;
  const { id, startedAt } = container;
  const started = { pid, startTime };
  const record = { container: id, startedAt, directory, isExisting, marker, started };
  const program = new ContainerProgram(engine, record);
  const watch = watchHealth(program);
  watch.hold();
  await program.end({ insist: AbortSignal.timeout(GRACE_MS), ended: watch.ended });
  watch.close();
  const release = isExisting ? releaseExisting : releaseContainer;
  await withLock(directory, () => release(engine, id, directory));
}

const GRACE_MS = 2_000;

/** A process and its container. */
interface Inside {
  readonly process: OwnedProcess;
  readonly engine: ContainerEngine;
  readonly container: ContainerInfo;
  /** The container's directory on this machine. */
  readonly directory: string;
  /** True if Halyard did not create the container. */
  readonly isExisting: boolean;
  readonly marker: string;
}

async function findInside(engines: Engines, home: string): Promise<Inside[]> {
  const found = (await findEngines(engines, home)).map(async (engine) => {
    const containers = (await orUndefined(engine.list({}))) ?? [];
    const own = containers.flatMap(({ id, labels }) => {
      const directory = labels[DIRECTORY_LABEL];
      return isContainerDirectory(home, directory) ? [{ id, directory }] : [];
    });
    return Promise.all(own.map(({ id, directory }) => inspectContainer(engine, id, directory)));
  });
  const existing = (await findExistingRecords(engines, home)).map(({ engine, record }) =>
    inspectContainer(engine, record.container, record.directory, true),
  );
  return (await Promise.all([...found, Promise.all(existing)])).flat(2);
}

function isContainerDirectory(home: string, directory: string | undefined): directory is string {
  return directory !== undefined && join(containersIn(home), basename(directory)) === directory;
}

async function inspectContainer(
  engine: ContainerEngine,
  id: string,
  directory: string,
  isExisting = false,
): Promise<Inside[]> {
  const container = await orUndefined(engine.inspect(id));
  if (container?.status !== "running") return [];
  const output = await orUndefined(engine.exec(id, { args: shell(listProcesses) }));
  return readProcessTable(output?.stdout ?? "").flatMap(({ mark, command, ...own }) => {
    // Ignore a marker that refers to another container's directory, because the process must have forged it.
    if (mark === undefined || dirname(dirname(mark.runDir)) !== directory) return [];
    const { marker, runDir } = mark;
    const identity = identityIn(container, own);
    const process = { identity, runDir, command, container: container.name };
    return [{ process, engine, container, directory, isExisting, marker }];
  });
}

/** Resolves to undefined if the engine does not respond or the container cannot start a process. */
function orUndefined<T>(look: Promise<T>): Promise<T | undefined> {
  return look.catch(() => undefined);
}
