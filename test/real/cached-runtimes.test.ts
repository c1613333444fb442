import { appendFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { installationHash, runtimesDir } from "./cached-runtimes.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("derives the directory name of the real programs from the lockfiles and the code that installs them", async () => {
  expect(basename(runtimesDir)).toBe(installationHash(root));
  const copy = await temporaryDirectory();
  for (const path of ["locks", "test/real/locks", "src/cli/install"])
    await cp(join(root, path), join(copy, path), { recursive: true });
  expect(installationHash(copy)).toBe(installationHash(root));

  await writeFile(join(copy, "src/cli/install/progress.ts"), "// has no influence\n");
  expect(installationHash(copy)).toBe(installationHash(root));

  const seen = new Set([installationHash(copy)]);
  for (const path of [
    "locks/claude/package-lock.json",
    "locks/node/package-lock.json",
    "locks/another/package-lock.json",
    "test/real/locks/acpx/package-lock.json",
    "src/cli/install/install-package.ts",
    "src/cli/install/npm.ts",
  ]) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await appendFile(join(copy, path), "\n");
    seen.add(installationHash(copy));
  }
  await rm(join(copy, "locks/opencode"), { recursive: true });
  seen.add(installationHash(copy));
  expect(seen.size).toBe(8);
});
