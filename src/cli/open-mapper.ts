import { join } from "node:path";
import { createRegistry } from "../adapters/registry.ts";
import { homeDirectory } from "../config/paths.ts";
import type { Mapper } from "../core/draft.ts";
import { HalyardError } from "../core/error.ts";
import type { Terminal } from "./terminal.ts";

/** What tells a runtime's messages as events. The runtime itself need not be there. */
export async function openMapper(runtime: string, { env }: Terminal): Promise<Mapper> {
  const runtimesDir = join(homeDirectory(env), "runtimes");
  const registry = createRegistry({ env, runtimesDir, outlive: false }, []);
  const name = await registry.resolve(runtime);
  if (name === undefined) {
    const known = (await registry.names()).join(", ");
    throw new HalyardError("unknown_runtime", `there is no runtime "${runtime}". Known: ${known}`);
  }
  return (await registry.load(name)).createMapper();
}
