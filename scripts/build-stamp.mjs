import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Records the inputs of a build, so that tests build only if an input has changed. `begin` records the inputs before the
 * build, because a file may change during the build. `end` makes the record valid after the build has succeeded.
 */
const STAMP = "dist/.built";
const NEXT = "dist/.building";

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "end") renameSync(NEXT, STAMP);
  else {
    mkdirSync("dist", { recursive: true });
    writeFileSync(NEXT, fingerprint());
  }
}

/** Returns true if no input has changed since the last build. */
export function isBuilt() {
  try {
    return readFileSync(STAMP, "utf8") === fingerprint();
  } catch {
    return false;
  }
}

function fingerprint() {
  const files = ["src", "scripts"].flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.endsWith(".test.ts"))
      .map((name) => `${directory}/${name}`),
  );
  const hash = createHash("sha256");
  for (const file of [
    ...files.sort(),
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
  ]) {
    const stat = statSync(file);
    if (stat.isFile()) hash.update(`${file} ${stat.mtimeMs} ${stat.size}\n`); // skips directories, which also change with tests
  }
  return hash.digest("hex");
}
