// @ts-nocheck: this agent imitates third-party JavaScript
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ask } from "./wire.mjs";

const { AGENT_MODEL_URL, AGENT_MODEL_KEY, ...env } = process.env;

export const kinds = { write: "edit", edit: "edit", shell: "execute" };

/** Runs a tool and returns its output. With `client`, the ACP client writes the files and runs the commands. */
export async function use({ name, input }, { cwd, sessionId, signal, client, onTerminal, more }) {
  switch (name) {
    case "write":
      return write(at(cwd, input.path), input.content, { sessionId, client });
    case "edit": {
      const path = at(cwd, input.path);
      const before = await readFile(path, "utf8");
      const after = before.replace(input.from, input.to);
      return write(path, after, { sessionId, client, before });
    }
    case "shell":
      return client
        ? runByClient(input.command, { sessionId, signal, onTerminal })
        : run(input.command, { cwd, signal });
    default:
      if (more.has(name)) return { output: await more.get(name)(input) };
      throw new Error(`unknown tool ${name}`);
  }
}

export const at = (cwd, path) => (isAbsolute(path) ? path : join(cwd, path));

async function write(path, content, { sessionId, client, before }) {
  if (client) await ask("fs/write_text_file", { sessionId, path, content });
  else await writeFile(path, content);
  return { output: "written", diff: { path, oldText: before ?? null, newText: content } };
}

function run(command, { cwd, signal }) {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, detached: true });
  const stop = () => process.kill(-child.pid, "SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  return new Promise((resolve, reject) => {
    child.once("exit", (exitCode) => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) reject(new Error("interrupted"));
      else resolve({ output, exitCode });
    });
  });
}

async function runByClient(command, { sessionId, signal, onTerminal }) {
  const { terminalId } = await ask("terminal/create", { sessionId, command });
  onTerminal(terminalId);
  const stop = () => void ask("terminal/kill", { sessionId, terminalId });
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const { exitCode } = await ask("terminal/wait_for_exit", { sessionId, terminalId });
  const { output } = await ask("terminal/output", { sessionId, terminalId });
  await ask("terminal/release", { sessionId, terminalId });
  if (signal.aborted) throw new Error("interrupted");
  return { output, exitCode };
}
