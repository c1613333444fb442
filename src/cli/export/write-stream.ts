import { open, rename, rm } from "node:fs/promises";
import { HalyardError } from "../../errors/error.ts";
import { fileReason } from "../../errors/file-reason.ts";

/** Writes pieces of text to a file that only the user can read. Replaces the file only after all pieces are written. */
export async function writeStream(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const draft = `${file}.new`;
  try {
    await using handle = await open(draft, "w", 0o600);
    for await (const piece of pieces) await handle.appendFile(piece);
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    if (cause instanceof HalyardError) throw cause;
    throw new HalyardError(
      "invalid_input",
      `Cannot write ${file}: ${fileReason(cause)}. Choose another path.`,
      { cause },
    );
  }
}
