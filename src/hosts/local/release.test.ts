import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { canRelease } from "../../../test/hosts/can-release.ts";
import { createHostTest } from "../../testing/host-suite/host-test.ts";
import { node, readUntil } from "../../testing/host-suite/programs.ts";
import { createLocalHost } from "./index.ts";

const test = createHostTest({ createHost: createLocalHost });

const MIB = 1024 * 1024;

/** A program that writes 8 MiB to each of its outputs and then responds to every line. */
const talkative = node(`
  const { writeSync } = require("node:fs");
  const page = "x".repeat(${MIB});
  for (let i = 0; i < 8; i++) for (const fd of [1, 2])
    for (let at = 0; at < page.length; ) at += writeSync(fd, page.slice(at));
  writeSync(2, "last words");
  writeSync(1, "ready\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) =>
    console.log("heard " + line));
`);

async function spaceOf(file: string): Promise<number> {
  return (await stat(file)).blocks * 512;
}

describe.skipIf(!(await canRelease()))(
  "a recording (on a file system that supports hole punching)",
  () => {
    test("releases the space before the cursor and keeps all offsets", async ({ workbench }) => {
      const runDir = workbench.newRunDir();
      const process = await workbench.spawn(talkative, { runDir });
      await readUntil(process, "ready\n", 8 * MIB);
      const [stdout, stderr] = [join(runDir, "stdout"), join(runDir, "stderr")];
      const { size } = await stat(stdout);
      expect(await spaceOf(stdout)).toBeGreaterThanOrEqual(8 * MIB);
      await process.release?.(7 * MIB + 1);

      expect((await stat(stdout)).size).toBe(size);
      expect(await spaceOf(stdout)).toBeLessThan(2 * MIB);
      expect(await spaceOf(stderr)).toBeLessThan(MIB);
      expect(await process.stderrTail()).toMatch(/x{1000}last words$/);
      await process.write("you\n");
      const rest = await readUntil(process, "heard you\n", 7 * MIB + 1);
      expect(rest).toBe(`${"x".repeat(MIB - 1)}ready\nheard you\n`);
      const found = await createLocalHost().attach(runDir);
      expect(found && (await readUntil(found, "heard you\n", size))).toBe("heard you\n");
      await found?.detach();
    });
  },
);
