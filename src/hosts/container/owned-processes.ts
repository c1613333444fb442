import { basename, dirname, join } from "node:path";
import type { ContainerInfo, ContainerRuntime } from "../../containers/container-runtime.ts";
import type { OwnedProcess } from "../../core/host.ts";
import { withLock } from "../recording/lock.ts";
import { releaseContainer, releaseExisting } from "./container.ts";
import type { Engines } from "./engines.ts";
import { watchHealth } from "./exit-watch.ts";
import { findEngines, findExistingRecords } from "./find-engines.ts";
import { placesIn } from "./place.ts";
import { readProcessTable } from "./process-table.ts";
import { ContainerProgram, identityIn } from "./program.ts";
import { shell, tell } from "./scripts.ts";
import { PLACE_LABEL } from "./spec.ts";

/**
 * Every process in a container of this home that was started for a run directory, and what those started in turn. What
 * no engine lets us look into is not among them.
 */
export async function findOwned(engines: Engines, home: string): Promise<OwnedProcess[]> {
  return (await findInside(engines, home)).map(({ process }) => process);
}

/** Ends one of them and what it started: asked first, then insisted on. With the last one of a container, that ends. */
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

/** A process, and how it is reached. */
interface Inside {
  readonly process: OwnedProcess;
  readonly engine: ContainerRuntime;
  readonly container: ContainerInfo;
  /** What the container is looked after by. */
  readonly directory: string;
  /** The container is not Halyard's. */
  readonly isExisting: boolean;
  readonly marker: string;
}

async function findInside(engines: Engines, home: string): Promise<Inside[]> {
  const found = (await findEngines(engines, home)).map(async (engine) => {
    const containers = (await unlessHidden(engine.list({}))) ?? [];
    const ours = containers.flatMap(({ id, labels }) => {
      const directory = labels[PLACE_LABEL];
      return isPlaceOf(home, directory) ? [{ id, directory }] : [];
    });
    return Promise.all(ours.map(({ id, directory }) => lookInto(engine, id, directory)));
  });
  const existing = (await findExistingRecords(engines, home)).map(({ engine, record }) =>
    lookInto(engine, record.container, record.directory, true),
  );
  return (await Promise.all([...found, Promise.all(existing)])).flat(2);
}

function isPlaceOf(home: string, directory: string | undefined): directory is string {
  return directory !== undefined && join(placesIn(home), basename(directory)) === directory;
}

async function lookInto(
  engine: ContainerRuntime,
  id: string,
  directory: string,
  isExisting = false,
): Promise<Inside[]> {
  const container = await unlessHidden(engine.inspect(id));
  if (container?.status !== "running") return [];
  const told = await unlessHidden(engine.exec(id, { args: shell(tell) }));
  return readProcessTable(told?.stdout ?? "").flatMap(({ mark, command, ...own }) => {
    // What carries the mark of another place has made it up.
    if (mark === undefined || dirname(dirname(mark.runDir)) !== directory) return [];
    const { marker, runDir } = mark;
    const identity = identityIn(container, own);
    const process = { identity, runDir, command, container: container.name };
    return [{ process, engine, container, directory, isExisting, marker }];
  });
}

/** An engine that has gone away, or a container in which nothing more can be started, shows nothing. */
function unlessHidden<T>(look: Promise<T>): Promise<T | undefined> {
  return look.catch(() => undefined);
}
