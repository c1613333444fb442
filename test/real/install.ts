import { join } from "node:path";
import { runtimePackages } from "../../src/adapters/versions.ts";
import { installPackage, isInstalled } from "../../src/cli/install/install-package.ts";
import { acpPackages } from "./acp-agents.ts";
import { acpxPackages } from "./acpx.ts";
import { mcpInspectorPackages } from "./mcp-inspector.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** The real programs, each at its pinned version, fetched where they are not there yet. One that is missing fails. */
export async function setup(): Promise<void> {
  for (const [name, pinned] of [
    ...runtimePackages,
    ...acpPackages,
    ...mcpInspectorPackages,
    ...acpxPackages,
  ]) {
    const directory = join(runtimesDir, name);
    if (await isInstalled(pinned, directory)) continue;
    process.stderr.write(`fetching ${pinned.name} ${pinned.version}\n`);
    await installPackage(pinned, directory, { env: process.env, onProgress: () => {} });
  }
}
