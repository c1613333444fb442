import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "../../src/contracts/adapter.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { FacadeStage } from "../../src/testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";

/** Creates a Halyard instance with the fake agent for the compat interfaces. `more` adds runtimes. */
export async function openFakeStage(more: readonly Adapter[] = []): Promise<FacadeStage> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "halyard-")));
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const opened: Halyard[] = [];
  const again = async () => {
    const adapters = [fakeAdapter({ env: { PATH: process.env.PATH } }), ...more];
    const halyard = await createHalyard({ home: join(directory, "home"), env: {}, adapters });
    opened.push(halyard);
    return halyard;
  };
  return {
    runtime: "fake",
    halyard: await again(),
    cwd,
    prompts: {
      say: (text) => `say ${text}`,
      shell: (command) => `sh ${command}`,
      sing: () => "say la; wait",
      recall: (first) => ({ prompt: "recall", answer: first }),
    },
    again,
    async [Symbol.asyncDispose]() {
      for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
