import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ContainerEngine, ContainerInfo } from "../../contracts/container-engine.ts";
import type { Command } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { MARKER, toMark } from "../recording/mark.ts";
import type { RunFiles } from "../recording/run-files.ts";
import { containerPaths } from "./container-paths.ts";
import { watchExec } from "./processes/exit-watch.ts";
import { ContainerProgram } from "./processes/program.ts";
import { newContainerRecord, type StartedRecord, writeContainerRecord } from "./record.ts";
import { launch, shell } from "./scripts.ts";
import { shareOutput } from "./share-output.ts";
import { explainExec, explainRefusal } from "./start-failure.ts";

export interface SpawnTarget {
  readonly engine: ContainerEngine;
  readonly container: ContainerInfo;
  /** The container's directory on this machine. */
  readonly directory: string;
  readonly runDir: string;
  readonly files: RunFiles;
  /** The container's memory limit, in MiB. */
  readonly memoryMb: number;
}

/** Starts a program in a running container and records its output in these files. */
export async function spawnInContainer(
  command: Command,
  target: SpawnTarget,
): Promise<{ record: StartedRecord; program: ContainerProgram; watch: ExitWatch }> {
  const { engine, container, directory, runDir, files, memoryMb } = target;
  const output = shareOutput(files, containerPaths(directory).shared);
  const { file, args, cwd, env } = command;
  const early = newContainerRecord(engine, container, { directory, file });
  try {
    writeContainerRecord(files.record, early);
    const exec = await engine.execInteractive(container.id, {
      args: shell(
        launch,
        files.stdin,
        output.inside,
        currentUmask(),
        kernelBootId(),
        file,
        ...args,
      ),
      env: { ...env, [MARKER]: toMark({ marker: early.marker, runDir }) },
      cwd,
    });
    exec.hold();
    const { oomKills, ...is } = await started(exec.stdout, exec.stderr, file, container.image);
    const own = { ...is, ...(exec.id !== undefined && { exec: exec.id }) };
    const record = { ...early, started: own };
    writeContainerRecord(files.record, record);
    const program = new ContainerProgram(engine, record);
    const watch = watchExec(exec, {
      health: () => program.health(),
      explain: async (exit) =>
        (await program.oomKills()) > oomKills
          ? {
              ...exit,
              reason: `its container reached the memory limit of ${memoryMb} MiB (container.memoryMb)`,
            }
          : program.explain(exit),
    });
    return { record, program, watch };
  } catch (error) {
    if (error instanceof HalyardError && error.code !== "invalid_input") throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw explainExec(reason, file, container.image);
  } finally {
    output.close();
  }
}

/**
 * Returns the boot id of this machine's kernel. Recordings need files, pipes and sockets that both sides share. An
 * engine in a virtual machine may show the same directories, but its pipes are not connected to this machine's pipes.
 */
function kernelBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "none"; // a value that no kernel has
  }
}

/** Returns this process's umask, so that the agent's files have the same mode as on this machine. */
export function currentUmask(): string {
  return process.umask().toString(8).padStart(3, "0");
}

/** Reads the launcher's first line. Throws with the output if the engine could not start the launcher. */
async function started(
  stdout: NodeJS.ReadableStream,
  stderr: NodeJS.ReadableStream,
  file: string,
  image: string,
): Promise<{ pid: number; startTime: string; oomKills: number }> {
  const errorText = text(stderr).catch(() => ""); // read only if the start fails
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    const found = readStarted(line, file, image);
    if (found) {
      stdout.resume(); // discards the rest of the output
      return found;
    }
    lines.push(line);
  }
  throw explainExec([...lines, await errorText].join("\n").trim(), file, image);
}

/** Parses the launcher's line. Throws if the launcher refused to start the program. Returns undefined for any other line. */
export function readStarted(
  line: string,
  file: string,
  image: string,
): { pid: number; startTime: string; oomKills: number } | undefined {
  const [, word, rest = ""] = /^(started|refused) (.*)$/.exec(line) ?? [];
  if (word === "refused") throw explainRefusal(rest, file, image);
  if (word === undefined) return undefined;
  const [, oomKills, pid, after = ""] = /^(\d+) (\d+) .*\) (.*)$/.exec(rest) ?? [];
  const startTime = after.split(" ")[19];
  if (startTime === undefined) throw new Error("the container has no /proc");
  return { pid: Number(pid), startTime, oomKills: Number(oomKills) };
}
