import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a temporary directory that is removed after the current test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
