import { readFileSync } from "node:fs";

/** Returns the version of this package. */
export function readVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(file) as { version: string };
  return version;
}

/** True if the first version is newer. A prerelease is older than its release. */
export function isNewer(version: string, than: string): boolean {
  const [first, second] = [version, than].map(parse);
  for (const at of [0, 1, 2, 3]) {
    const difference = (first?.[at] ?? 0) - (second?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function parse(version: string): number[] {
  const [numbers = "", prerelease] = version.split("-", 2);
  return [...numbers.split(".").map(Number), prerelease === undefined ? 1 : 0];
}
