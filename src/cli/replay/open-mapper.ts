import { join } from "node:path";
import { createRegistry } from "../../adapters/registry.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Mapper } from "../../contracts/event-draft.ts";
import { didYouMean } from "../../errors/did-you-mean.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Console } from "../console/console.ts";

/** Creates the mapper of a runtime, which does not have to be installed. Throws if no runtime has this name. */
export async function openMapper(runtime: string, { env }: Console): Promise<Mapper> {
  const runtimesDir = join(homeDirectory(env), "runtimes");
  const registry = createRegistry({ env, runtimesDir, detached: false }, []);
  const name = await registry.resolve(runtime);
  if (name === undefined) {
    const advice = didYouMean(runtime, await registry.names());
    throw new HalyardError("unknown_runtime", `Unknown runtime "${runtime}".${advice}`);
  }
  return (await registry.load(name)).createMapper();
}
