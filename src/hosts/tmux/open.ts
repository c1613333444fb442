import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command, TerminalOptions } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { identify } from "../local/process-identity.ts";
import { findProgram, writeProcessRecord } from "../local/process-record.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { checkDirectory, runDirInUse } from "../recording/prepare.ts";
import { findPane, Pane, SESSION_MARK } from "./pane.ts";
import { PasteWatch } from "./paste-watch.ts";
import { TmuxTerminal } from "./terminal.ts";
import type { Tmux } from "./tmux.ts";
import { FULL, followConsoles } from "./window-size.ts";

/**
 * Starts a program in its own tmux session. The record is written before and after the start, so that the program can
 * be identified at any time.
 */
export async function openTerminal(
  tmux: Tmux,
  command: Command,
  { runDir, watchesPastes = false }: TerminalOptions,
): Promise<TmuxTerminal> {
  const { file, args, cwd, env } = command;
  const record = recordIn(runDir);
  checkDirectory(cwd);
  if (await findProgram(record)) throw runDirInUse(runDir);
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const name = nameOf(runDir);
  const marker = newMarker();
  writeProcessRecord(record, { file, marker }); // written first, in case this process dies before the pid is known
  const variables = { ...screenVariables(env), [MARKER]: toMark({ marker, runDir }) };
  const pastes = watchesPastes ? await PasteWatch.open(runDir) : undefined;
  const start = [
    [
      ...[
        "new-session",
        "-d",
        "-s",
        name,
        "-c",
        "/",
        "-x",
        `${FULL.width}`,
        "-y",
        `${FULL.height}`,
      ],
      ...Object.entries(variables).flatMap(([key, value]) => ["-e", `${key}=${value}`]),
      // The program and its child processes must not control the tmux server.
      ...[
        "env",
        "-u",
        "TMUX",
        "-u",
        "TMUX_PANE",
        "--",
        "sh",
        "-c",
        ENTER,
        "sh",
        cwd,
        file,
        ...args,
      ],
    ],
    ...(pastes ? [["pipe-pane", "-O", "-t", `=${name}:`, pastes.command]] : []),
    ["set-option", "-t", `=${name}:`, "status", "off"],
    ["set-option", "-t", `=${name}:`, SESSION_MARK, name],
    ["set-option", "-t", `=${name}:`, "history-limit", HISTORY],
    followConsoles(name),
    ["display-message", "-p", "-t", `=${name}:`, "#{pane_id} #{pane_pid}"],
    ["set-option", "-g", "exit-empty", "on"], // the server exits with its last session
  ];
  try {
    const [id, pid] = (await tmux.run(...start)).trim().split(" ");
    const identity = identify(Number(pid));
    if (identity === undefined) throw await earlyExitError(tmux, name, file);
    writeProcessRecord(record, { file, marker, identity });
    const pane = new Pane(tmux, { id, pid: identity.pid });
    return new TmuxTerminal({ tmux, name, pane, pastes, identity, marker });
  } catch (error) {
    pastes?.close();
    await tmux.tryRun(["kill-session", "-t", `=${name}`]);
    await rm(record, { force: true });
    throw error;
  }
}

/**
 * Changes to a directory and executes the program. tmux's `-c` option would expand formats in the directory name, and a
 * format can run a command.
 */
const ENTER = 'cd -- "$1" && shift && exec "$@"';

/** Returns the program that `openTerminal` recorded in a run directory, if there is one. It may have exited. */
export async function attachTerminal(
  tmux: Tmux,
  runDir: string,
): Promise<TmuxTerminal | undefined> {
  const program = await findProgram(recordIn(runDir));
  if (program === undefined) return undefined;
  const { pid } = program.identity;
  const pane = new Pane(tmux, { id: await findPane(tmux, pid), pid });
  return new TmuxTerminal({ tmux, name: nameOf(runDir), pane, ...program });
}

/** Returns the error for a program that exited immediately. The message contains the text on the program's screen. */
async function earlyExitError(tmux: Tmux, name: string, file: string): Promise<HalyardError> {
  const screen = (await tmux.tryRun(["capture-pane", "-p", "-t", `=${name}:`]))?.trim();
  return new HalyardError(
    "start_failed",
    `${file} exited immediately after its start: ${screen || "it printed nothing"}. Run it in a console to find the cause.`,
  );
}

/** Adds tmux's terminal type and a default character encoding to the variables. */
function screenVariables(env: Command["env"]): Record<string, string> {
  return { LANG: "C.UTF-8", ...env, TERM: "tmux-256color" };
}

/** The number of lines that remain readable after they have scrolled off the screen. */
const HISTORY = "20000";

const recordIn = (runDir: string): string => join(runDir, "terminal.json");

/** Returns the name of the tmux session. Replaces special characters, because tmux interprets dots and colons. */
const nameOf = (runDir: string): string => basename(runDir).replaceAll(/[^\w-]/g, "_");
