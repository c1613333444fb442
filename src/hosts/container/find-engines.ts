import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ContainerRuntime } from "../../containers/container-runtime.ts";
import { runFilesIn } from "../recording/run-files.ts";
import type { Engines } from "./engines.ts";
import { placesIn } from "./place.ts";
import { readContainerRecord } from "./record.ts";

/** The engines that programs of this home may run on: those on record, and the one for new containers. */
export async function findEngines(engines: Engines, home: string): Promise<ContainerRuntime[]> {
  const places = entriesIn(placesIn(home)).map((key) => join(placesIn(home), key, "run"));
  if (places.length === 0) return []; // nobody was ever in a container
  const runs = places.flatMap((runsDir) => entriesIn(runsDir).map((name) => join(runsDir, name)));
  const records = await Promise.all(runs.map((runDir) => recordedEngine(engines, runDir)));
  const chosen = await engines.chosen().catch(() => undefined); // none answers now
  const found = [chosen, ...records].filter((engine) => engine !== undefined);
  return [...new Map(found.map((engine) => [`${engine.name} ${engine.address}`, engine])).values()];
}

async function recordedEngine(
  engines: Engines,
  runDir: string,
): Promise<ContainerRuntime | undefined> {
  try {
    const record = readContainerRecord(runFilesIn(runDir).record);
    return record && (await engines.open(record.engine));
  } catch {
    return undefined; // what cannot be read tells of no engine
  }
}

function entriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // nothing was ever kept there
  }
}
