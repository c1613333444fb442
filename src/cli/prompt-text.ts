import { once } from "node:events";
import { fstatSync } from "node:fs";
import { HalyardError } from "../errors/error.ts";
import { type Console, warn } from "./console/console.ts";
import { requireSendableBytes } from "./send/message-size.ts";

/** Returns the prompt from the command line, or standard input if the prompt is `-`. Throws if the text is empty. */
async function readPrompt(prompt: string, { input, err }: Console): Promise<string> {
  if (prompt === "-" && input.isTTY) await err.write("Type the prompt, then Ctrl-D:\n");
  return requireText(prompt === "-" ? await readMessage(input) : prompt);
}

/**
 * Returns the prompt followed by the text that is piped into standard input, or only that text if the prompt is empty or
 * `-`. Throws if the result is empty. Unless the prompt is `-`, ignores a pipe that sends no data for 3 s, because a
 * parent process may pass a pipe and never close it.
 */
export async function readPromptAndInput(prompt: string, console: Console): Promise<string> {
  if (prompt === "-" || !isPiped()) return readPrompt(prompt, console);
  const piped = (await readPiped(console)) ?? "";
  return requireText([prompt, piped].filter((text) => text.trim() !== "").join("\n\n"));
}

/** Like `readPromptAndInput`, but returns undefined if there is neither a prompt nor piped text. */
export async function readOptionalPrompt(
  prompt: string | undefined,
  console: Console,
): Promise<string | undefined> {
  if (prompt !== undefined) return readPromptAndInput(prompt, console);
  const piped = isPiped() ? await readPiped(console) : undefined;
  return piped?.trim() === "" ? undefined : piped;
}

/**
 * Reads the text that is piped into standard input. Returns undefined if the pipe is open but sends no data for 3 s.
 */
async function readPiped(console: Console): Promise<string | undefined> {
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
    return undefined;
  }
  return readMessage(input);
}

const SILENT = Symbol("silent");
const SILENCE_MS = 3_000;

function timeout(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** True if standard input is a pipe, a socket or a file; false for a console, /dev/null and a closed descriptor. */
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
    'The prompt is empty. Pass text, pipe it into the command, or pass "-" to read it from standard input.',
  );
}

/** Reads a message. Rejects as soon as it exceeds the size limit, because a pipe may never end. */
function readMessage(input: NodeJS.ReadableStream): Promise<string> {
  return readAll(input, requireSendableBytes);
}

/** Reads a stream to its end and removes the last line break. `check` receives the number of bytes read so far. */
export async function readAll(
  input: NodeJS.ReadableStream,
  check: (bytes: number) => void = () => {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const next = Buffer.from(chunk);
    bytes += next.length;
    check(bytes);
    chunks.push(next);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
