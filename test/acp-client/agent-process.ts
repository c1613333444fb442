import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import * as first from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { program, type User } from "../cli/start-cli.ts";
import { bytesOf } from "./scene.ts";

/** Runs `halyard acp` as an editor does. */
export class AgentProcess {
  readonly process: ChildProcessWithoutNullStreams;
  readonly stream: first.Stream;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  stderr = "";

  constructor({ cwd, env }: User, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [program, "acp", ...args], { cwd, env });
    const { stdin, stdout, stderr } = this.process;
    stdin.on("error", () => {}); // the program may exit before it has read all input
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.process, "close").then(([exitCode]) => exitCode);
    this.stream = first.ndJsonStream(Writable.toWeb(stdin), bytesOf(stdout));
    onTestFinished(async () => {
      this.process.kill("SIGKILL");
      await this.ended;
    });
  }

  /** Closes the input, as an editor does on exit, and resolves with the exit code of the agent. */
  leave(): Promise<number | null> {
    this.process.stdin.end();
    return this.ended;
  }
}
