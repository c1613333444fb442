import { HalyardError } from "../core/error.ts";
import type { Terminal } from "./terminal.ts";

/** The prompt as given, or from standard input where it is `-`. */
export async function readPrompt(prompt: string, { input, err }: Terminal): Promise<string> {
  if (prompt === "-" && input.isTTY) await err.write("Type the prompt, then Ctrl-D:\n");
  const text = prompt === "-" ? await readAll(input) : prompt;
  if (text.trim() !== "") return text;
  throw new HalyardError("invalid_input", "the prompt is empty");
}

async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
