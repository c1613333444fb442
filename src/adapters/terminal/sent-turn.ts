import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../files/write-file-atomically.ts";
import { TurnId } from "../../schema/id.ts";

const Screen = z
  .object({
    lines: z.array(z.string()).readonly(),
    title: z.string(),
    cursor: z.object({ row: z.number(), column: z.number() }),
    scrolled: z.number().optional(),
  })
  .transform(({ scrolled, ...screen }) => ({ ...screen, scrolled }));

/** A sent message, and the screens before and after it was typed, which are needed to read the reply. */
const SentTurn = z.object({
  turnId: TurnId,
  message: z.string(),
  drafted: z.object({ before: Screen, drafted: Screen }),
});
export type TypedTurn = z.infer<typeof SentTurn>;

/** Saves the turn for a later attach, in case this process dies before the reply. */
export function keepSentTurn(runDir: string, turn: TypedTurn): Promise<void> {
  return writeFileAtomically(fileIn(runDir), JSON.stringify(turn));
}

/** Reads the saved turn. Resolves with undefined if no message was sent or the file is invalid. */
export async function readSentTurn(runDir: string): Promise<TypedTurn | undefined> {
  try {
    return SentTurn.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    return undefined;
  }
}

const fileIn = (runDir: string): string => join(runDir, "terminal-turn.json");
