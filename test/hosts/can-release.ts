import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseSpace } from "../../src/files/release-space.ts";

/** True if the file system can release the disk space at the start of a file. */
export async function canRelease(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const file = join(directory, "sample");
  try {
    await writeFile(file, Buffer.alloc(8192, "x"));
    await releaseSpace(file, { before: 4096 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(directory, { recursive: true });
  }
}
