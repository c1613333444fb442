import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { ContainerRuntime, ExecCommand } from "../../../containers/container-runtime.ts";
import { parseAddress } from "../../../containers/engine/address.ts";
import { HalyardError } from "../../../core/error.ts";
import type { RunFiles } from "../../recording/run-files.ts";
import { keeperSource } from "./sources.ts";

/** What a program in a container said when it was started. */
export interface Kept {
  readonly exec: string;
  /** Its first line, which is the launcher's. */
  readonly line: string;
}

/** How the programs that speak with the engine themselves are told of one. */
export function execOrder(
  { name, address }: ContainerRuntime,
  container: string,
  { args, env = {}, cwd, user }: ExecCommand,
) {
  if (name === "apple")
    throw new HalyardError("unsupported", "container.containerId needs Docker or Podman.");
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

/** Starts a program in a container, recorded in these files by a process that goes on without us. */
export async function startKept(order: unknown, files: RunFiles): Promise<Kept> {
  const fds = [
    openSync(files.stdin, constants.O_RDWR), // a writer of its own, so that its input has no end
    openSync(files.stdout, "a"),
    openSync(files.stderr, "a"),
  ] as const;
  const keeper = spawn(process.execPath, ["--input-type=module", "-e", keeperSource], {
    detached: true,
    cwd: "/",
    env: {},
    stdio: [...fds, "pipe"],
  });
  for (const fd of fds) closeSync(fd);
  keeper.once("error", () => {}); // then its line ends
  keeper.unref();
  const line = keeper.stdio[3];
  if (!(line instanceof Socket)) throw new Error("there is no line to the keeper");
  line.write(`${JSON.stringify(order)}\n`);
  try {
    return await firstWords(line);
  } finally {
    line.destroy();
  }
}

async function firstWords(line: Socket): Promise<Kept> {
  let exec = "";
  const complaints: string[] = [];
  for await (const text of createInterface({ input: line })) {
    const said: unknown = JSON.parse(text);
    const words = Object(said);
    if (typeof words.exec === "string") exec = words.exec;
    if (typeof words.complaint === "string") complaints.push(words.complaint);
    if (typeof words.line === "string") return { exec, line: words.line };
    const reason = words.failed ?? words.ended;
    if (typeof reason === "string") throw new Error([reason, ...complaints].join(" ").trim());
  }
  throw new Error(complaints.join(" ") || "the connection to the engine was lost");
}
