import { availableParallelism } from "node:os";
import { expect } from "vitest";
import { hasProc } from "../../programs/platform.ts";
import { createHostTest } from "../../testing/host-suite/host-test.ts";
import { idle, node } from "../../testing/host-suite/programs.ts";
import { createLocalHost } from "./index.ts";

const test = createHostTest({ createHost: createLocalHost });

test.skipIf(!hasProc)(
  "reports a waiting time if more programs run than there are processors",
  async ({ workbench }) => {
    const busy = node("for (;;);");
    const count = availableParallelism() + 1;
    const programs = await Promise.all(Array.from({ length: count }, () => workbench.spawn(busy)));
    const waits = () => Promise.all(programs.map((program) => program.waitedMs?.()));
    await expect.poll(async () => Math.max(...(await waits()).map(Number))).toBeGreaterThan(20);
    await Promise.all(programs.map((program) => program.terminate({ graceMs: 0 })));
  },
);

test("reports no waiting time for a program that has exited", async ({ workbench }) => {
  const program = await workbench.spawn(idle);
  await program.terminate({ graceMs: 0 });
  expect(await program.waitedMs?.()).toBe(0);
});
