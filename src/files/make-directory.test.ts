import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { makeDirectory } from "./make-directory.ts";

test("creates a directory with its parents, even if several callers do so at the same time", async () => {
  const path = join(await temporaryDirectory(), "a", "b", "c");
  await Promise.all([1, 2, 3].map(() => makeDirectory(path, { mode: 0o700 })));
  await makeDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test("rejects if a file has the same path", async () => {
  const file = join(await temporaryDirectory(), "file");
  await writeFile(file, "");
  await expect(makeDirectory(file)).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeDirectory(join(file, "a"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test.runIf(process.platform === "linux")(
  "rejects a path in /proc instead of retrying forever",
  async () => {
    await expect(makeDirectory("/proc/nowhere/a")).rejects.toMatchObject({ code: "ENOENT" });
  },
);
