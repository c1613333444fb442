import { open } from "node:fs/promises";
import { codeOrReason, HalyardError } from "../../errors/error.ts";
import { hasCode } from "../../errors/has-code.ts";
import { replay } from "../../session/replay.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { createEventOutput } from "../output/event-output.ts";
import { openMapper } from "./open-mapper.ts";
import { mapGarbageToWarnings, readNativeLog } from "./read-native-log.ts";

export interface ReplayOptions {
  readonly runtime: string;
  readonly format: "text" | "json";
}

export async function replayFile(
  file: string,
  { runtime, format }: ReplayOptions,
): Promise<number> {
  const console = openConsole();
  const mapper = mapGarbageToWarnings(await openMapper(runtime, console));
  const messages = readNativeLog(await openNativeLog(file, console));
  const output = await createEventOutput(format, console, { echo: true });
  const clock = { now: () => new Date(), elapsedMs: () => performance.now() };
  for await (const event of replay(messages, mapper, { runtime, clock })) {
    await output.write(event);
    if (console.out.closed.aborted) break;
  }
  throwIfUnwritable(console);
  return 0;
}

async function openNativeLog(file: string, console: Console): Promise<AsyncIterable<Uint8Array>> {
  if (file === "-") return console.input;
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream();
    await handle.close();
  } catch (error) {
    const reason = hasCode(error, "ENOENT")
      ? "The file does not exist. Check its path."
      : `The file cannot be read (${codeOrReason(error)}). Check the file and its permissions.`;
    throw new HalyardError("invalid_input", `${file}: ${reason}`, { cause: error });
  }
  throw new HalyardError(
    "invalid_input",
    `${file} is a directory. Pass a file with one JSON message per line.`,
  );
}
