import { execFileSync } from "node:child_process";

/** Tests start our programs as users do, from `dist/`: build it first, so that they never meet an old one. */
export function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
