import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { Command, TerminalOptions } from "../../core/host.ts";
import { identify } from "../local/process-identity.ts";
import { findProgram, writeProcessRecord } from "../local/process-record.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { checkDirectory, occupied } from "../recording/prepare.ts";
import { findPane, Pane, SESSION_MARK } from "./pane.ts";
import { PasteWatch } from "./paste-watch.ts";
import { TmuxTerminal } from "./terminal.ts";
import type { Tmux } from "./tmux.ts";
import { FULL, followConsoles } from "./window-size.ts";

/** Starts a program in a session of its own, and can say who it is from its first moment on. */
export async function openTerminal(
  tmux: Tmux,
  command: Command,
  { runDir, watchesPastes = false }: TerminalOptions,
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
      // The server is not the program's business, nor that of the processes it starts.
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
    ["set-option", "-g", "exit-empty", "on"], // so that the server ends with its last session
  ];
  try {
    const [id, pid] = (await tmux.run(...start)).trim().split(" ");
    const identity = identify(Number(pid));
    if (identity === undefined) throw await stillborn(tmux, name, file);
    writeProcessRecord(record, { file, marker, identity });
    const pane = new Pane(tmux, { id, pid: identity.pid });
    return new TmuxTerminal({ tmux, name, pane, pastes, identity, marker });
  } catch (error) {
    pastes?.close();
    await tmux.ask(["kill-session", "-t", `=${name}`]);
    await rm(record, { force: true });
    throw error;
  }
}

/**
 * Changes to the directory that comes first and becomes the program that follows. tmux itself would expand formats in a
 * directory's name, and a format can run a command.
 */
const ENTER = 'cd -- "$1" && shift && exec "$@"';

/** The program that `openTerminal` recorded there, whether or not it still runs. */
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

/** The screen of a program that ended at once still shows why. */
async function stillborn(tmux: Tmux, name: string, file: string): Promise<HalyardError> {
  const words = (await tmux.ask(["capture-pane", "-p", "-t", `=${name}:`]))?.trim();
  return new HalyardError("start_failed", `${file} ended as soon as it was started: ${words}`);
}

/** What a screen here can show; how it is written is for whoever starts the program to say. */
function screenVariables(env: Command["env"]): Record<string, string> {
  return { LANG: "C.UTF-8", ...env, TERM: "tmux-256color" };
}

/** How many lines of an answer can be read after they have left the screen. */
const HISTORY = "20000";

const recordIn = (runDir: string): string => join(runDir, "terminal.json");

/** A dot or a colon would mean something to tmux. */
const nameOf = (runDir: string): string => basename(runDir).replaceAll(/[^\w-]/g, "_");
