import { open } from "node:fs/promises";
import { HalyardError } from "../../core/error.ts";
import { replay } from "../../core/replay.ts";
import { openMapper } from "../open-mapper.ts";
import { createEventOutput } from "../output/event-output.ts";
import { readRecording, warnOfGarbage } from "../recording.ts";
import { openTerminal, type Terminal, throwIfUnwritable } from "../terminal.ts";

export interface ReplayOptions {
  readonly runtime: string;
  readonly format: "text" | "json";
}

export async function replayFile(
  file: string,
  { runtime, format }: ReplayOptions,
): Promise<number> {
  const terminal = openTerminal();
  const mapper = warnOfGarbage(await openMapper(runtime, terminal));
  const messages = readRecording(await openRecording(file, terminal));
  const output = await createEventOutput(format, terminal, { echo: true });
  const clock = { now: () => new Date(), elapsedMs: () => performance.now() };
  for await (const event of replay(messages, mapper, { runtime, clock })) {
    await output.write(event);
    if (terminal.out.closed.aborted) break;
  }
  throwIfUnwritable(terminal);
  return 0;
}

async function openRecording(file: string, terminal: Terminal): Promise<AsyncIterable<Uint8Array>> {
  if (file === "-") return terminal.input;
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream();
    await handle.close();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new HalyardError("invalid_input", `${file}: ${reason}`, { cause: error });
  }
  throw new HalyardError("invalid_input", `${file} is a directory`);
}
