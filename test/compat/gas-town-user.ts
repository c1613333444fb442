import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createAgentRuntime } from "../../src/compat/gas-town/index.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { seedRegistry } from "./seed-registry.ts";

/** Creates a user with a registry. Fake agents replace the two runtimes of the seed. */
export async function openUser(registry = seedRegistry) {
  const home = await temporaryDirectory();
  const rig = join(home, "greenplace");
  await mkdir(join(home, ".halyard"));
  await mkdir(join(home, ".gastown"));
  await writeFile(join(home, ".gastown", "runtimes.json"), registry);
  await mkdir(rig);
  const adapters = ["claude", "codex"].map((name) => ({ ...fakeAdapter(), name }));
  const env = { PATH: process.env.PATH ?? "", HOME: home, HALYARD_HOME: join(home, ".halyard") };
  const runtime = createAgentRuntime({ create: { env, adapters } });
  onTestFinished(async () => {
    for (const handle of await runtime.listSessions()) await runtime.stop(handle, "over");
    await runtime[Symbol.asyncDispose]();
  });
  return { home, rig, runtime, env, adapters };
}
