import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../../core/write-whole.ts";
import { TurnId } from "../../schema/id.ts";

const Screen = z
  .object({
    lines: z.array(z.string()).readonly(),
    title: z.string(),
    cursor: z.object({ row: z.number(), column: z.number() }),
    scrolled: z.number().optional(),
  })
  .transform(({ scrolled, ...screen }) => ({ ...screen, scrolled }));

/** A message that was sent off, and the screens before that: what it takes to read the reply off the screen. */
const SentTurn = z.object({
  turnId: TurnId,
  message: z.string(),
  drafted: z.object({ before: Screen, drafted: Screen }),
});
export type SentTurn = z.infer<typeof SentTurn>;

/** Keeps it for the process that takes the session up if this one dies before the reply. */
export function keepSentTurn(runDir: string, turn: SentTurn): Promise<void> {
  return writeWhole(fileIn(runDir), JSON.stringify(turn));
}

/** Undefined if nothing was sent yet. */
export async function readSentTurn(runDir: string): Promise<SentTurn | undefined> {
  try {
    return SentTurn.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    return undefined;
  }
}

const fileIn = (runDir: string): string => join(runDir, "terminal-turn.json");
