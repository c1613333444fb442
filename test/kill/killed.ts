import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { StreamEvent } from "../../src/schema/event.ts";
import { SessionId } from "../../src/schema/id.ts";
import { repliesIn } from "../../src/testing/replies.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

export interface KillPaths {
  readonly home: string;
  readonly cwd: string;
}

export async function newKillPaths(): Promise<KillPaths> {
  const directory = await temporaryDirectory();
  const location = { home: join(directory, "home"), cwd: join(directory, "work") };
  await mkdir(location.cwd);
  return location;
}

/**
 * Starts a program that prints a session id and the `seq` of each event, and kills the program after the given number of events.
 * If the number is infinite, waits until the program ends itself. Returns the printed values.
 */
export async function killAfter(
  events: number,
  program:
    | "watcher.mjs"
    | "pi-watcher.mjs"
    | "acp-watcher.mjs"
    | "handing-over.mjs"
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

/** The text that the slow model streams in reply to `Count.`. */
export const numbers = [...Array(200).keys()].join(" ");

/** Starts a model that counts slowly, and that answers what the user said before. */
export function startCounting(): Promise<ScriptedModel> {
  return startScriptedModel([
    { when: "Count.", replies: [{ text: numbers, chunkSize: 8, chunkDelayMs: 10 }] },
    { when: "What did I say?", replies: [{ text: "You said: Count." }] },
  ]);
}

/** Expects that no event and no part of the text is lost or duplicated, in the deltas and in the messages. */
export function expectWhole(
  log: readonly StreamEvent[],
  { seen, said, turns }: { seen: readonly number[]; said: readonly string[]; turns: number },
): void {
  const seqs = log.map(({ seq }) => seq);
  expect(seqs).toEqual(log.map((_, index) => index + 1));
  expect(seqs).toEqual(expect.arrayContaining([...seen]));
  const deltas = log.flatMap((event) => (event.type === "delta" ? [event.text] : []));
  expect(deltas.join("")).toBe(said.join(""));
  expect(repliesIn(log)).toEqual(said);
  expect(log.filter(({ type }) => type === "completion")).toHaveLength(turns);
}
