import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "../../core/host.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { type RunFiles, removeRunFiles } from "../recording/run-files.ts";
import { watchChild } from "./exit-watch.ts";
import { identify } from "./process-identity.ts";
import { type Program, writeProcessRecord } from "./process-record.ts";
import { explainSpawn } from "./start-failure.ts";

/**
 * Starts a program with its output recorded in these files, and can say who it is from its first moment on.
 * Small files are written without another thread's help: next to starting a process that takes no time.
 */
export async function spawnProgram(
  command: Command,
  files: RunFiles,
): Promise<{ program: Program; watch: ExitWatch }> {
  const { file } = command;
  const marker = newMarker();
  let child: ChildProcess | undefined;
  try {
    writeProcessRecord(files.record, { file, marker }); // should we die before we know the pid
    child = spawnRecorded(command, files, marker);
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const watch = watchChild(child);
    const identity = identify(child.pid);
    if (identity === undefined)
      throw new Error("the system does not show it to us (is /proc mounted?)");
    writeProcessRecord(files.record, { file, marker, identity });
    return { program: { identity, marker }, watch };
  } catch (error) {
    child?.kill("SIGKILL");
    removeRunFiles(files);
    throw explainSpawn(error, command);
  }
}

function spawnRecorded(command: Command, files: RunFiles, marker: string): ChildProcess {
  const fds: number[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    fds.push(fd);
    return fd;
  };
  try {
    return spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...command.env, [MARKER]: toMark({ marker, runDir: dirname(files.record) }) },
      detached: true, // a session and a group of its own
      stdio: [
        open(files.stdin, constants.O_RDWR), // a writer of its own, and so no end of input when we die
        open(files.stdout, NEW_RECORDING),
        open(files.stderr, NEW_RECORDING),
      ],
    });
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants;
const NEW_RECORDING = O_WRONLY | O_APPEND | O_CREAT | O_EXCL;
