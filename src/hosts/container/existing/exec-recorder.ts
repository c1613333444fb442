import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { ContainerEngine, ExecCommand } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { RunFiles } from "../../recording/run-files.ts";
import { parseAddress } from "../engines/docker-api/address.ts";
import { recorderSource } from "./sources.ts";

/** A program that was started in a container. */
export interface StartedExec {
  readonly exec: string;
  /** The first line of its output, which the launcher writes. */
  readonly line: string;
}

/**
 * Returns the request that a helper process needs to start a program: the engine, the container, and the program. Throws
 * `unsupported` for Apple Container, which has no API for helper processes.
 */
export function execRequest(
  { name, address }: ContainerEngine,
  container: string,
  { args, env = {}, cwd, user }: ExecCommand,
) {
  if (name === "apple")
    throw new HalyardError(
      "unsupported",
      "Apple Container cannot run a session in an existing container. Set CONTAINER_RUNTIME to docker or podman, or remove container.containerId.",
    );
  return {
    engine: parseAddress(name, address).target,
    container,
    exec: {
      Cmd: args,
      Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      ...(cwd !== undefined && { WorkingDir: cwd }),
      ...(user !== undefined && { User: user }),
    },
  };
}

/**
 * Starts a program in a container. A helper process records the program's output in these files, and keeps running
 * after this process exits.
 */
export async function startRecordedExec(order: unknown, files: RunFiles): Promise<StartedExec> {
  const fds = [
    openSync(files.stdin, constants.O_RDWR), // opened read-write, so that the input never ends
    openSync(files.stdout, "a"),
    openSync(files.stderr, "a"),
  ] as const;
  const recorder = spawn(process.execPath, ["--input-type=module", "-e", recorderSource], {
    detached: true,
    cwd: "/",
    env: {},
    stdio: [...fds, "pipe"],
  });
  for (const fd of fds) closeSync(fd);
  recorder.once("error", () => {}); // ignored, because the pipe then ends without a message, which `readStart` reports
  recorder.unref();
  const line = recorder.stdio[3];
  if (!(line instanceof Socket)) throw new Error("the helper process has no pipe");
  line.write(`${JSON.stringify(order)}\n`);
  try {
    return await readStart(line);
  } finally {
    line.destroy();
  }
}

async function readStart(line: Socket): Promise<StartedExec> {
  let exec = "";
  const errors: string[] = [];
  for await (const text of createInterface({ input: line })) {
    const message = Object(JSON.parse(text));
    if (typeof message.exec === "string") exec = message.exec;
    if (typeof message.stderr === "string") errors.push(message.stderr);
    if (typeof message.line === "string") return { exec, line: message.line };
    const reason = message.failed ?? message.ended;
    if (typeof reason === "string") throw new Error([reason, ...errors].join(" ").trim());
  }
  throw new Error(errors.join(" ") || "the connection to the engine was lost");
}
