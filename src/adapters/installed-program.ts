import { join } from "node:path";
import { type Platform, thisPlatform } from "../core/platform.ts";
import { firstExecutable } from "../core/program.ts";
import { createRegistry } from "./registry.ts";

/** The program of a runtime that `halyard runtime install` has installed in this directory. */
export async function installedProgram(
  name: string,
  directory: string,
): Promise<string | undefined> {
  const paths = await programsFor(name, thisPlatform);
  return firstExecutable(join(directory, "node_modules"), paths);
}

/** Paths of a runtime's program below `node_modules` on such a platform; see `Adapter.programsFor`. */
export async function programsFor(name: string, platform: Platform): Promise<readonly string[]> {
  const registry = createRegistry({ env: {}, runtimesDir: "", outlive: false }, []);
  const adapter = await registry.load(name);
  return adapter.programsFor?.(platform) ?? [];
}
