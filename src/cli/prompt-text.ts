import { once } from "node:events";
import { fstatSync } from "node:fs";
import { HalyardError } from "../errors/error.ts";
import { type Console, warn } from "./console/console.ts";

/** Returns the prompt from the command line, or from standard input if it is `-`. */
async function readPrompt(prompt: string, { input, err }: Console): Promise<string> {
  if (prompt === "-" && input.isTTY) await err.write("Type the prompt, then Ctrl-D:\n");
  return requireText(prompt === "-" ? await readAll(input) : prompt);
}

/**
 * Returns the prompt with the text that is piped into standard input below it, or that text alone if the prompt is empty.
 * A pipe that stays open without sending data is ignored after 3 s: a parent process may pass a pipe and never close it.
 */
export async function readPromptAndInput(prompt: string, console: Console): Promise<string> {
  if (prompt === "-" || !isPiped()) return readPrompt(prompt, console);
  const { input } = console;
  const first = Promise.race([once(input, "readable"), once(input, "end")]);
  const timer = new AbortController();
  const deadline = timeout(SILENCE_MS, timer.signal).then(() => SILENT);
  const result = await Promise.race([first, deadline]).finally(() => timer.abort());
  if (result === SILENT) {
    await warn(console, [
      'Standard input is a pipe without data and was ignored. Add "< /dev/null" to skip this wait.',
    ]);
    input.destroy();
    return requireText(prompt);
  }
  const piped = await readAll(input);
  return requireText([prompt, piped].filter((text) => text.trim() !== "").join("\n\n"));
}

const SILENT = Symbol("silent");
const SILENCE_MS = 3_000;

function timeout(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** True for a pipe, a socket or a file; false for a console, /dev/null and a closed descriptor. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}

function requireText(text: string): string {
  if (text.trim() !== "") return text;
  throw new HalyardError(
    "invalid_input",
    'The prompt is empty. Pass text, pipe it into the command, or type "-" to read it from standard input.',
  );
}

/** Reads a stream to its end, without the last line break. */
export async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
