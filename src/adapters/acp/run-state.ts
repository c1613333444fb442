import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../../core/write-whole.ts";
import { Agreement } from "./agreement.ts";

const OpenedSession = z.object({ agreement: Agreement, sessionId: z.string() });
export type OpenedSession = z.infer<typeof OpenedSession>;

const SentPrompt = z.object({ turn: z.string(), promptId: z.number() });
type SentPrompt = z.infer<typeof SentPrompt>;

/** What whoever finds the agent again has to know, and could not learn from it: it says so only once. */
export interface RunState {
  readonly opened?: OpenedSession | undefined;
  /** The last prompt that was sent. */
  readonly prompt?: SentPrompt | undefined;
}

export async function readRunState(runDir: string): Promise<RunState> {
  const [opened, prompt] = await Promise.all([
    read(join(runDir, OPENED), OpenedSession),
    read(join(runDir, PROMPT), SentPrompt),
  ]);
  return { opened, prompt };
}

export function keepOpened(runDir: string, opened: OpenedSession): Promise<void> {
  return writeWhole(join(runDir, OPENED), JSON.stringify(opened));
}

export function keepPrompt(runDir: string, prompt: SentPrompt): Promise<void> {
  return writeWhole(join(runDir, PROMPT), JSON.stringify(prompt));
}

const OPENED = "acp-session.json";
const PROMPT = "acp-prompt.json";

async function read<T extends z.ZodType>(
  file: string,
  schema: T,
): Promise<z.output<T> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined; // whoever should have written it did not live to do so
  }
}
