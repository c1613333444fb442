import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the system and the file system of tests can give back the space of a file's beginning. */
export function canRelease(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "halyard-"));
  try {
    const file = join(directory, "sample");
    writeFileSync(file, Buffer.alloc(8192, "x"));
    const range = ["--offset", "0", "--length", "4096"];
    execFileSync("fallocate", ["--punch-hole", ...range, file], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
