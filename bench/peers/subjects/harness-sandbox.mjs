import { exec, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { Readable } from "node:stream";

/**
 * Returns this machine as a sandbox for the AI SDK's harness: a directory for commands, and ports. Its processes use the same
 * Node as the other subjects.
 * @param {string} root
 */
export function sandboxHere(root) {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const options = (/** @type {NodeJS.ProcessEnv} */ env = {}) => ({
    cwd: root,
    env: { ...process.env, PATH, HOME: root, ...env },
  });
  /** @typedef {{ command: string, env?: NodeJS.ProcessEnv }} Command */
  const session = {
    id: "here",
    description: "this machine",
    defaultWorkingDirectory: root,
    ports: [0],
    restricted: () => session,
    getPortEndpoint: async (/** @type {{ port: number }} */ { port }) => ({
      url: `ws://127.0.0.1:${port}`,
    }),
    run: (/** @type {Command} */ { command, env }) =>
      new Promise((resolve) => {
        exec(command, options(env), (error, stdout, stderr) =>
          resolve({ exitCode: error?.code ?? 0, stdout, stderr }),
        );
      }),
    async spawn(/** @type {Command} */ { command, env }) {
      const child = spawn("/bin/sh", ["-c", `exec ${command}`], {
        ...options(env),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const exit = once(child, "exit").then(([exitCode]) => ({ exitCode }));
      return {
        pid: child.pid,
        stdout: Readable.toWeb(child.stdout),
        stderr: Readable.toWeb(child.stderr),
        wait: () => exit,
        kill: async () => void child.kill(),
      };
    },
    readTextFile: (/** @type {{ path: string }} */ { path }) =>
      readFile(path, "utf8").catch(() => null),
    async writeTextFile(/** @type {{ path: string, content: string }} */ { path, content }) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
  };
  return session;
}
