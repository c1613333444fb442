import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import * as first from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { program, type User } from "../cli/start-cli.ts";
import { bytesOf } from "./scene.ts";

/** `halyard acp` as an editor starts it. */
export class AgentProcess {
  readonly process: ChildProcessWithoutNullStreams;
  readonly stream: first.Stream;
  /** Its exit code, once it has ended by itself. */
  readonly ended: Promise<number | null>;
  stderr = "";

  constructor({ cwd, env }: User, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [program, "acp", ...args], { cwd, env });
    const { stdin, stdout, stderr } = this.process;
    stdin.on("error", () => {}); // it may end before it has read everything
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

  /** The editor is closed. */
  leave(): Promise<number | null> {
    this.process.stdin.end();
    return this.ended;
  }
}
