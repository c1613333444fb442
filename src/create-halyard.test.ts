import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Halyard } from "./core/halyard.ts";
import { createHalyard } from "./create-halyard.ts";
import { fakeAdapter } from "./testing/fake/index.ts";
import type { HalyardFixture } from "./testing/halyard/fixture.ts";
import { describeHalyard } from "./testing/halyard/index.ts";

describeHalyard("Halyard in process", openFixture);

async function openFixture(): Promise<HalyardFixture> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const home = join(directory, "home");
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const opened: Halyard[] = [];
  const again = async () => {
    const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    opened.push(halyard);
    return halyard;
  };
  return {
    halyard: await again(),
    cwd,
    again,
    async [Symbol.asyncDispose]() {
      for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
