import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { terminalAdapter } from "../../src/adapters/terminal/index.ts";
import type { ConnectRequest } from "../../src/contracts/adapter.ts";
import { createTmuxHost } from "../../src/hosts/tmux/index.ts";
import type { RuntimeEntry } from "../../src/schema/runtimes/runtime-entry.ts";
import { Limits } from "../../src/schema/session/start-request.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { writeParrot } from "./parrot.ts";

/** The settings of a program whose prompt is known. */
export const byPrompt = { ready: "prompt", ready_prompt_prefix: ">" } as const;

/** Writes the parrot program, and prepares a tmux host with a separate server for its screen. */
export async function openParrot(
  entry: RuntimeEntry = {},
  env: Record<string, string> = {},
  readyMs = 30_000,
) {
  const directory = await temporaryDirectory();
  const runDir = join(directory, "ses_parrot");
  await mkdir(runDir);
  const bin = await writeParrot(directory);
  const adapter = terminalAdapter({ name: "parrot", bin, args: [], env: process.env, entry });
  const host = createTmuxHost({ socket: join(directory, "tmux.sock"), env: process.env });
  const connect = (changes: Partial<Pick<ConnectRequest, "permissions" | "attach">> = {}) =>
    adapter.onScreen?.connect({
      cwd: directory,
      host,
      runDir,
      stateDir: directory,
      permissions: "allow-all",
      plan: false,
      env,
      options: {},
      limits: Limits.parse({ readyMs, stopMs: 1_000 }),
      ...changes,
    });
  const open = async () => {
    const connection = await connect();
    if (connection === undefined) throw new Error("The host did not open a screen.");
    onTestFinished(() => connection[Symbol.asyncDispose]());
    return connection;
  };
  const screen = async () => {
    const terminal = await host.attachTerminal?.(runDir);
    const { lines } = (await terminal?.look()) ?? { lines: [] };
    await terminal?.detach();
    return lines.join("\n").trim();
  };
  return { adapter, connect, open, screen };
}
