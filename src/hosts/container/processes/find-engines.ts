import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ContainerEngine } from "../../../contracts/container-engine.ts";
import { runFilesIn } from "../../recording/run-files.ts";
import { containersIn } from "../container-paths.ts";
import type { Engines } from "../engines/engines.ts";
import { type ContainerRecord, readContainerRecord } from "../record.ts";

/**
 * Returns the engines that may run this home's programs: the engines in the records and the engine for new containers.
 */
export async function findEngines(engines: Engines, home: string): Promise<ContainerEngine[]> {
  if (entriesIn(containersIn(home)).length === 0) return []; // no session has run in a container in this home
  const recorded = (await findRecords(engines, home)).map(({ engine }) => engine);
  const chosen = await engines.chosen().catch(() => undefined); // undefined if no engine responds
  const found = [chosen, ...recorded].filter((engine) => engine !== undefined);
  return [...new Map(found.map((engine) => [`${engine.name} ${engine.address}`, engine])).values()];
}

/** Returns one record for each container that Halyard did not create and that runs this home's programs. */
export async function findExistingRecords(engines: Engines, home: string): Promise<Recorded[]> {
  const existing = (await findRecords(engines, home)).filter(({ record }) => record.isExisting);
  return [...new Map(existing.map((found) => [found.record.container, found])).values()];
}

interface Recorded {
  readonly record: ContainerRecord;
  readonly engine: ContainerEngine;
}

async function findRecords(engines: Engines, home: string): Promise<Recorded[]> {
  const runsDirs = entriesIn(containersIn(home)).map((key) => join(containersIn(home), key, "run"));
  const runs = runsDirs.flatMap((runsDir) => entriesIn(runsDir).map((name) => join(runsDir, name)));
  return (await Promise.all(runs.map((runDir) => recordedIn(engines, runDir)))).flat();
}

async function recordedIn(engines: Engines, runDir: string): Promise<Recorded[]> {
  try {
    const record = readContainerRecord(runFilesIn(runDir).record, dirname(dirname(runDir)));
    return record ? [{ record, engine: await engines.open(record.engine) }] : [];
  } catch {
    return []; // an unreadable record does not identify an engine
  }
}

function entriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // the directory does not exist
  }
}
