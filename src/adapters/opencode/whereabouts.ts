import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../../core/write-whole.ts";

/** Where a session is, for whoever takes it up after us. */
const Whereabouts = z.strictObject({
  /** The run directory of its server. */
  server: z.string(),
  /** OpenCode's id for it, once it has one. */
  session: z.string().optional(),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

/** All of it or nothing, whenever we may die. */
export async function writeWhereabouts(runDir: string, whereabouts: Whereabouts): Promise<void> {
  await writeWhole(fileIn(runDir), JSON.stringify(whereabouts));
}

/** Undefined for a session that has no server yet. */
export async function readWhereabouts(runDir: string): Promise<Whereabouts | undefined> {
  try {
    return Whereabouts.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    return undefined;
  }
}

function fileIn(runDir: string): string {
  return join(runDir, "opencode.json");
}
