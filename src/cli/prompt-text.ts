import { once } from "node:events";
import { fstatSync } from "node:fs";
import { HalyardError } from "../core/error.ts";
import { type Terminal, warn } from "./terminal.ts";

/** Returns the prompt from the command line, or from standard input if it is `-`. */
export async function readPrompt(prompt: string, { input, err }: Terminal): Promise<string> {
  if (prompt === "-" && input.isTTY) await err.write("Type the prompt, then Ctrl-D:\n");
  return requireText(prompt === "-" ? await readAll(input) : prompt);
}

/**
 * Returns the prompt with the text that is piped into standard input below it. A pipe that stays open without sending
 * anything is ignored after three seconds: programs that start us may hand down one that they never close.
 */
export async function readPromptAndInput(prompt: string, terminal: Terminal): Promise<string> {
  if (prompt === "-" || !isPiped()) return readPrompt(prompt, terminal);
  const { input } = terminal;
  const first = Promise.race([once(input, "readable"), once(input, "end")]);
  const timer = new AbortController();
  const patience = timeout(SILENCE_MS, timer.signal).then(() => SILENT);
  const heard = await Promise.race([first, patience]).finally(() => timer.abort());
  if (heard === SILENT) {
    await warn(terminal, [
      'Standard input is a pipe without data and was ignored. Add "< /dev/null" to skip this wait.',
    ]);
    input.destroy();
    return requireText(prompt);
  }
  const piped = await readAll(input);
  return requireText(piped.trim() === "" ? prompt : `${prompt}\n\n${piped}`);
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
    'The prompt is empty. Pass text, or "-" to read it from standard input.',
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
