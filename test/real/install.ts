import { existsSync } from "node:fs";
import { join } from "node:path";
import { NEWER_NODE } from "../../src/adapters/newer-node.ts";
import { onDemandPackages, runtimePackages } from "../../src/adapters/versions.ts";
import { findFault } from "../../src/cli/install/find-fault.ts";
import { withInstallLock } from "../../src/cli/install/install-lock.ts";
import { installPackage } from "../../src/cli/install/install-package.ts";
import { lockfileDirectory } from "../../src/cli/install/lockfiles.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** Tools that only the tests use, each with a directory in `locks`. */
const tools = ["acp-claude-agent", "acp-codex", "mcp-inspector", "acpx"];

/** Installs the missing real programs from their lockfiles. Fails if one cannot be installed or does not start. */
export async function setup(): Promise<void> {
  await ensure(NEWER_NODE, lockfileDirectory(NEWER_NODE), async () => {});
  for (const name of runtimePackages.keys()) await ensure(name, lockfileDirectory(name), verify);
  for (const name of tools)
    await ensure(name, new URL(`./locks/${name}/`, import.meta.url), async () => {});
}

/** Installs a program unless its directory exists. The last step renames the directory, so it is complete if it exists. */
async function ensure(
  name: string,
  lock: URL,
  verifyIn: (directory: string, name: string) => Promise<void>,
): Promise<void> {
  const directory = join(runtimesDir, name);
  if (existsSync(directory)) return;
  process.stderr.write(`Installing ${name}\n`);
  const onWait = () =>
    void process.stderr.write(`Waiting for another process that is installing ${name}\n`);
  await withInstallLock(directory, { onWait }, async () => {
    if (existsSync(directory)) return;
    const request = { lock, directory, verify: (staging: string) => verifyIn(staging, name) };
    await installPackage(request, { env: process.env, onProgress: () => {} });
  });
}

async function verify(directory: string, name: string): Promise<void> {
  const pinned = onDemandPackages.get(name);
  if (pinned === undefined)
    throw new Error(`${name} has no pinned version. Add one in src/adapters/versions.ts.`);
  const fault = await findFault({ name, pinned, directory }, { env: process.env });
  if (fault !== undefined) throw new Error(`${name} cannot be used: ${fault}`);
}
