import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const cache =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");

/** The sources that decide what an installation contains: the pinned versions and the code that installs them. */
const sources = [
  "src/adapters/versions.ts",
  "src/cli/install/install-package.ts",
  "src/cli/install/npm.ts",
];

/**
 * The directory that the real programs are kept in between runs, laid out like `runtimes` in Halyard's home. Its name
 * is a hash of the sources above: programs that other code has installed are never used.
 */
export const runtimesDir = join(cache, hashOf(sources));

/** @param {readonly string[]} files */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(new URL(`../../${file}`, import.meta.url)));
  return hash.digest("hex").slice(0, 16);
}
