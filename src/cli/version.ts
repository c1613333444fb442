import { readFileSync } from "node:fs";

/** This Halyard's own. */
export function readVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(file) as { version: string };
  return version;
}

/** Whether the first of two versions is the newer; what leads to a release comes before it. */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [version, than].map(parse);
  for (const at of [0, 1, 2, 3]) {
    const difference = (ours?.[at] ?? 0) - (theirs?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function parse(version: string): number[] {
  const [numbers = "", prerelease] = version.split("-", 2);
  return [...numbers.split(".").map(Number), prerelease === undefined ? 1 : 0];
}
