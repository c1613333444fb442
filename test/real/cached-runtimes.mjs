import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The files that decide what an installation contains: the lockfiles, and the code that installs from them. */
const sources = [
  ...locksIn("locks"),
  ...locksIn("test/real/locks"),
  "src/cli/install/install-package.ts",
  "src/cli/install/npm.ts",
];

/**
 * The directory that the real programs are kept in between runs, laid out like `runtimes` in Halyard's home. Its name
 * is a hash of the sources above: programs that other code or another lockfile has installed are never used.
 */
export const runtimesDir = join(cache, hashOf(sources));

/** @param {string} directory */
function locksIn(directory) {
  const names = readdirSync(join(root, directory)).sort();
  return names.map((name) => `${directory}/${name}/package-lock.json`);
}

/** @param {readonly string[]} files */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}
