import { execFileSync } from "node:child_process";
import { isBuilt } from "../scripts/build-stamp.mjs";

/**
 * Builds `dist/`, which contains the programs that tests start. Skips the build if no input has changed since the last
 * one.
 */
export function setup(): void {
  if (isBuilt()) return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
