import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ContainerRuntime } from "../../containers/container-runtime.ts";
import { runFilesIn } from "../recording/run-files.ts";
import type { Engines } from "./engines.ts";
import { placesIn } from "./place.ts";
import { type ContainerRecord, readContainerRecord } from "./record.ts";

/** The engines that programs of this home may run on: those on record, and the one for new containers. */
export async function findEngines(engines: Engines, home: string): Promise<ContainerRuntime[]> {
  if (entriesIn(placesIn(home)).length === 0) return []; // nobody was ever in a container
  const recorded = (await findRecords(engines, home)).map(({ engine }) => engine);
  const chosen = await engines.chosen().catch(() => undefined); // none answers now
  const found = [chosen, ...recorded].filter((engine) => engine !== undefined);
  return [...new Map(found.map((engine) => [`${engine.name} ${engine.address}`, engine])).values()];
}

/** One record for each container that is not Halyard's and has programs of this home. */
export async function findExistingRecords(engines: Engines, home: string): Promise<Recorded[]> {
  const existing = (await findRecords(engines, home)).filter(({ record }) => record.isExisting);
  return [...new Map(existing.map((found) => [found.record.container, found])).values()];
}

interface Recorded {
  readonly record: ContainerRecord;
  readonly engine: ContainerRuntime;
}

async function findRecords(engines: Engines, home: string): Promise<Recorded[]> {
  const places = entriesIn(placesIn(home)).map((key) => join(placesIn(home), key, "run"));
  const runs = places.flatMap((runsDir) => entriesIn(runsDir).map((name) => join(runsDir, name)));
  return (await Promise.all(runs.map((runDir) => recordedIn(engines, runDir)))).flat();
}

async function recordedIn(engines: Engines, runDir: string): Promise<Recorded[]> {
  try {
    const record = readContainerRecord(runFilesIn(runDir).record);
    return record ? [{ record, engine: await engines.open(record.engine) }] : [];
  } catch {
    return []; // what cannot be read tells of no engine
  }
}

function entriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // nothing was ever kept there
  }
}
