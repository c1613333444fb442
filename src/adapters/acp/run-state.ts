import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../files/write-file-atomically.ts";
import { Agreement } from "./handshake/agreement.ts";

const OpenedSession = z.object({ agreement: Agreement, sessionId: z.string() });
/** The session of an agent, and the result of the handshake. */
export type AgentSessionState = z.infer<typeof OpenedSession>;

const SentPrompt = z.object({ turn: z.string(), promptId: z.number() });
type SentPrompt = z.infer<typeof SentPrompt>;

/** The state that an attach needs. It is saved in the run directory, because the agent does not send it again. */
export interface RunState {
  readonly opened?: AgentSessionState | undefined;
  /** The last prompt that was sent. */
  readonly prompt?: SentPrompt | undefined;
}

/** Reads the state that an earlier process saved. A field is undefined if its file is missing or invalid. */
export async function readRunState(runDir: string): Promise<RunState> {
  const [opened, prompt] = await Promise.all([
    read(join(runDir, OPENED), OpenedSession),
    read(join(runDir, PROMPT), SentPrompt),
  ]);
  return { opened, prompt };
}

/** Saves the agent's session for a later attach. */
export function saveOpened(runDir: string, opened: AgentSessionState): Promise<void> {
  return writeFileAtomically(join(runDir, OPENED), JSON.stringify(opened));
}

/** Saves the last prompt for a later attach. */
export function savePrompt(runDir: string, prompt: SentPrompt): Promise<void> {
  return writeFileAtomically(join(runDir, PROMPT), JSON.stringify(prompt));
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
    return undefined; // no file exists before the session is opened or the first prompt is sent
  }
}
