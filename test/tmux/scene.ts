import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { Command } from "../../src/contracts/host.ts";
import type { Terminal } from "../../src/contracts/terminal.ts";
import { readProcess } from "../../src/hosts/local/process-table.ts";
import { createTmuxHost } from "../../src/hosts/tmux/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A program that displays its input and writes it to a file. */
const ECHO = `
process.stdin.setRawMode?.(true);
process.stdout.write("\\x1b[?2004h\\x1b]2;idle\\x07ready>");
process.stdin.on("data", (data) => {
  const text = String(data);
  require("node:fs").appendFileSync("input", text);
  process.stdout.write(text.includes("quit") ? "" : text.replaceAll("\\r", "\\r\\n"));
  if (text === "\\x03") process.exit(7);
});
`;

export async function openTmux() {
  const home = await temporaryDirectory();
  const host = createTmuxHost({ socket: join(home, "tmux.sock"), env: process.env });
  const open = async (changes: Partial<Command> = {}, name = "ses_1") => {
    const terminal = await host.openTerminal?.(
      {
        file: process.execPath,
        args: ["-e", ECHO],
        cwd: home,
        env: { PATH: process.env.PATH ?? "" },
        ...changes,
      },
      { runDir: join(home, name) },
    );
    if (terminal === undefined) throw new Error("The host did not open a screen.");
    onTestFinished(() => terminal.terminate({ graceMs: 0 }));
    return terminal;
  };
  return { home, host, open };
}

export async function shows(terminal: Terminal, text: string): Promise<void> {
  await expect.poll(async () => (await terminal.look()).lines.join("\n")).toContain(text);
}

export const isAlive = (pid: number): boolean => readProcess(pid)?.ended === false;

/** Runs a tmux command on the same server, as a user would. */
export function runAsUser(home: string, ...args: string[]) {
  return promisify(execFile)("tmux", ["-S", join(home, "tmux.sock"), ...args], { cwd: home });
}
