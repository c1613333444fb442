import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");

/**
 * The directory that the real programs are kept in between runs, laid out like `runtimes` in Halyard's home. Its name
 * is the hash of an installation: programs that other code or another lockfile has installed are never used.
 */
export const runtimesDir = join(
  cache,
  installationHash(fileURLToPath(new URL("../../", import.meta.url))),
);

/**
 * Returns the hash of the files that determine what an installation contains: the lockfiles, and the code that reads
 * them to install packages.
 * @param {string} root the directory of the package
 */
export function installationHash(root) {
  const hash = createHash("sha256");
  const files = [
    ...locksIn(root, "locks"),
    ...locksIn(root, "test/real/locks"),
    "src/cli/install/install-package.ts",
    "src/cli/install/npm.ts",
  ];
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * @param {string} root
 * @param {string} directory
 */
function locksIn(root, directory) {
  const names = readdirSync(join(root, directory)).sort();
  return names.map((name) => `${directory}/${name}/package-lock.json`);
}
