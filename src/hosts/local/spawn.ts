import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "../../contracts/host.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { type RunFiles, removeRunFiles } from "../recording/run-files.ts";
import { watchChild } from "./exit-watch.ts";
import { identify } from "./process-identity.ts";
import { type Program, writeProcessRecord } from "./process-record.ts";
import { explainSpawn } from "./start-failure.ts";

/**
 * Starts a program whose output is recorded in these files. The record is written before and after the start, so that
 * the program can be identified at any time. Small files are written synchronously, which is fast compared with a
 * process start.
 */
export async function spawnProgram(
  command: Command,
  files: RunFiles,
): Promise<{ program: Program; watch: ExitWatch }> {
  const { file } = command;
  const marker = newMarker();
  let child: ChildProcess | undefined;
  try {
    // written first, in case this process dies before the pid is known
    writeProcessRecord(files.record, { file, marker });
    child = spawnRecorded(command, files, marker);
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const watch = watchChild(child);
    const identity = identify(child.pid);
    if (identity === undefined)
      throw new Error("the system does not show the process (is /proc mounted?)");
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
      detached: true, // starts a new session and process group
      stdio: [
        open(files.stdin, constants.O_RDWR), // opened read-write, so that the input does not end when this process dies
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
