import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

/**
 * Builds `dist/`, which contains the programs that tests start. Skips the build if no input has changed since the last
 * one.
 */
export function setup(): void {
  const inputs = fingerprint();
  if (inputs === lastFingerprint()) return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  writeFileSync(STAMP, inputs);
}

const STAMP = "dist/.built";

function lastFingerprint(): string | undefined {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return undefined;
  }
}

function fingerprint(): string {
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
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}
