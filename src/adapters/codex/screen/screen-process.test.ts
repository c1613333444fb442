import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canRelease } from "../../../../test/hosts/can-release.ts";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { ScreenProcess } from "./screen-process.ts";

const MIB = 1024 * 1024;

describe.skipIf(!(await canRelease()))(
  "the recording of a session on a screen (on a file system that supports hole punching)",
  () => {
    test("loses only the released range", async () => {
      const cwd = await temporaryDirectory();
      const runDir = join(cwd, "run");
      const args = ["-e", `process.stdout.write("x".repeat(${4 * MIB}))`];
      const proxy = await createLocalHost().spawn(
        { file: process.execPath, args, cwd, env: {} },
        { runDir },
      );
      onTestFinished(() => proxy[Symbol.asyncDispose]());
      await proxy.exit;
      await new ScreenProcess(proxy).release(3 * MIB, { from: MIB });
      const recorded = await readFile(join(runDir, "stdout"), "latin1");
      const around = [MIB - 1, MIB, 3 * MIB - 1, 3 * MIB].map((at) => recorded[at]);
      expect(around).toEqual(["x", "\0", "\0", "x"]);
    });
  },
);
