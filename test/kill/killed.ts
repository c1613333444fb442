import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SessionId } from "../../src/schema/id.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

export interface Place {
  readonly home: string;
  readonly cwd: string;
}

export async function newPlace(): Promise<Place> {
  const directory = await temporaryDirectory();
  const place = { home: join(directory, "home"), cwd: join(directory, "work") };
  await mkdir(place.cwd);
  return place;
}

/** Starts a program that runs a turn and prints what it sees of it, and kills it once it has seen so many events. */
export async function killAfter(
  events: number,
  program:
    | "watcher.mjs"
    | "pi-watcher.mjs"
    | "acp-watcher.mjs"
    | "../containers/watcher.mjs"
    | "../screens/watcher.mjs",
  args: readonly string[],
): Promise<{ id: SessionId; seen: number[] }> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.split("\n").length > events + 1) child.kill("SIGKILL");
  }
  await exited;
  const [id, ...seqs] = printed.split("\n").slice(0, -1);
  return { id: SessionId.parse(id), seen: seqs.map(Number) };
}
