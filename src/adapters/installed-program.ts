import { join } from "node:path";
import { type Platform, thisPlatform } from "../core/platform.ts";
import { firstExecutable } from "../core/program.ts";
import { createRegistry } from "./registry.ts";

/** The program that `halyard runtime install` has installed for a runtime, in a directory of the runtime's name. */
export async function installedProgram(
  name: string,
  runtimesDir: string,
): Promise<string | undefined> {
  const paths = await programsFor(name, thisPlatform);
  return firstExecutable(join(runtimesDir, name, "node_modules"), paths);
}

/** Paths of a runtime's program below `node_modules` on such a platform; see `Adapter.programsFor`. */
export async function programsFor(name: string, platform: Platform): Promise<readonly string[]> {
  const registry = createRegistry({ env: {}, runtimesDir: "", outlive: false }, []);
  const adapter = await registry.load(name);
  return adapter.programsFor?.(platform) ?? [];
}
