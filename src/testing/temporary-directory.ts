import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory for the test that runs, gone when it has finished. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
