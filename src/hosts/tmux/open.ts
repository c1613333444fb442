import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import { identify } from "../local/process-identity.ts";
import { findProgram, writeProcessRecord } from "../local/process-record.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { checkDirectory, occupied } from "../recording/prepare.ts";
import { TmuxTerminal } from "./terminal.ts";
import type { Tmux } from "./tmux.ts";

/** Starts a program in a session of its own, and can say who it is from its first moment on. */
export async function openTerminal(
  tmux: Tmux,
  command: Command,
  { runDir }: { runDir: string },
): Promise<TmuxTerminal> {
  const { file, args, cwd, env } = command;
  const record = recordIn(runDir);
  checkDirectory(cwd);
  if (await findProgram(record)) throw occupied(runDir);
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const name = nameOf(runDir);
  const marker = newMarker();
  writeProcessRecord(record, { file, marker }); // should we die before we know the pid
  const variables = { ...screenVariables(env), [MARKER]: toMark({ marker, runDir }) };
  const start = [
    [
      ...["new-session", "-d", "-s", name, "-c", cwd, "-x", WIDTH, "-y", HEIGHT],
      ...Object.entries(variables).flatMap(([key, value]) => ["-e", `${key}=${value}`]),
      // The server is not the program's business, nor that of what it starts.
      ...["env", "-u", "TMUX", "-u", "TMUX_PANE", "--", file, ...args],
    ],
    ["set-option", "-t", `=${name}:`, "status", "off"],
    ["display-message", "-p", "-t", `=${name}:`, "#{pane_pid}"],
    ["set-option", "-g", "exit-empty", "on"], // so that the server ends with its last session
  ];
  try {
    const identity = identify(Number((await tmux.run(...start)).trim()));
    if (identity === undefined) throw await stillborn(tmux, name, file);
    writeProcessRecord(record, { file, marker, identity });
    return new TmuxTerminal({ tmux, name, identity, marker });
  } catch (error) {
    await tmux.ask(["kill-session", "-t", `=${name}`]);
    await rm(record, { force: true });
    throw error;
  }
}

/** The program that `openTerminal` recorded there, whether or not it still runs. */
export async function attachTerminal(
  tmux: Tmux,
  runDir: string,
): Promise<TmuxTerminal | undefined> {
  const program = await findProgram(recordIn(runDir));
  return program && new TmuxTerminal({ tmux, name: nameOf(runDir), ...program });
}

/** The screen of a program that ended at once still says why. */
async function stillborn(tmux: Tmux, name: string, file: string): Promise<HalyardError> {
  const words = (await tmux.ask(["capture-pane", "-p", "-t", `=${name}:`]))?.trim();
  return new HalyardError("start_failed", `${file} ended as soon as it was started: ${words}`);
}

/** What a screen here can show; how it is written is for whoever starts the program to say. */
function screenVariables(env: Command["env"]): Record<string, string> {
  return { LANG: "C.UTF-8", ...env, TERM: "tmux-256color" };
}

/** Wide enough for a long line, and high enough for a dialog with a diff in it. */
const WIDTH = "200";
const HEIGHT = "50";

const recordIn = (runDir: string): string => join(runDir, "terminal.json");

/** A dot or a colon would mean something to tmux. */
const nameOf = (runDir: string): string => basename(runDir).replaceAll(/[^\w-]/g, "_");
