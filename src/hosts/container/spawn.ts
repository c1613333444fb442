import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ContainerInfo, ContainerRuntime } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { MARKER, toMark } from "../recording/mark.ts";
import type { RunFiles } from "../recording/run-files.ts";
import { watchExec } from "./exit-watch.ts";
import { bootHere } from "./kernel.ts";
import { placePaths } from "./place.ts";
import { ContainerProgram } from "./program.ts";
import { newContainerRecord, type StartedRecord, writeContainerRecord } from "./record.ts";
import { launch, shell } from "./scripts.ts";
import { shareOutput } from "./share-output.ts";
import { explainExec, explainRefusal } from "./start-failure.ts";

export interface SpawnPlace {
  readonly engine: ContainerRuntime;
  readonly container: ContainerInfo;
  /** What the container is looked after by. */
  readonly directory: string;
  readonly runDir: string;
  readonly files: RunFiles;
  /** How much the container may use of it. */
  readonly memoryMb: number;
}

/** Starts a program in a running container with its output recorded in these files, and can say who it is. */
export async function spawnInContainer(
  command: Command,
  place: SpawnPlace,
): Promise<{ record: StartedRecord; program: ContainerProgram; watch: ExitWatch }> {
  const { engine, container, directory, runDir, files, memoryMb } = place;
  const output = shareOutput(files, placePaths(directory).shared);
  const { file, args, cwd, env } = command;
  const early = newContainerRecord(engine, container, { directory, file });
  try {
    writeContainerRecord(files.record, early);
    const exec = await engine.execInteractive(container.id, {
      args: shell(launch, files.stdin, output.inside, umaskHere(), bootHere(), file, ...args),
      env: { ...env, [MARKER]: toMark({ marker: early.marker, runDir }) },
      cwd,
    });
    exec.hold();
    const { starved, ...is } = await started(exec.stdout, exec.stderr, file, container.image);
    const own = { ...is, ...(exec.id !== undefined && { exec: exec.id }) };
    const record = { ...early, started: own };
    writeContainerRecord(files.record, record);
    const program = new ContainerProgram(engine, record);
    const watch = watchExec(exec, {
      health: () => program.health(),
      explain: async (exit) =>
        (await program.starved()) > starved
          ? {
              ...exit,
              reason: `its container reached its limit of ${memoryMb} MB (container.memoryMb)`,
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

/** Files that the agent creates have the same mode as those of an agent on this machine. */
export function umaskHere(): string {
  return process.umask().toString(8).padStart(3, "0");
}

/** The launcher's one line; what an engine says instead, where it cannot even start that, is no such line. */
async function started(
  stdout: NodeJS.ReadableStream,
  stderr: NodeJS.ReadableStream,
  file: string,
  image: string,
): Promise<{ pid: number; startTime: string; starved: number }> {
  const complaint = text(stderr).catch(() => ""); // once it has started, nobody listens any more
  const said: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    const found = readStarted(line, file, image);
    if (found) {
      stdout.resume(); // whatever still comes is nobody's
      return found;
    }
    said.push(line);
  }
  throw explainExec([...said, await complaint].join("\n").trim(), file, image);
}

/** Reads the launcher's line. Throws if it refused, and returns undefined for any other line. */
export function readStarted(
  line: string,
  file: string,
  image: string,
): { pid: number; startTime: string; starved: number } | undefined {
  const [, word, rest = ""] = /^(started|refused) (.*)$/.exec(line) ?? [];
  if (word === "refused") throw explainRefusal(rest, file, image);
  if (word === undefined) return undefined;
  const [, starved, pid, after = ""] = /^(\d+) (\d+) .*\) (.*)$/.exec(rest) ?? [];
  const startTime = after.split(" ")[19];
  if (startTime === undefined) throw new Error("the container has no /proc");
  return { pid: Number(pid), startTime, starved: Number(starved) };
}
