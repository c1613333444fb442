import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { inPackages } from "../packages.mjs";
import { pieceOf, receiveLines } from "./subject.mjs";

const program = inPackages("acpx", "acpx", "dist", "cli.js");

/**
 * Opens the CLI of acpx: one persistent session, and one process per prompt.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }) {
  const env = { PATH: process.env.PATH, HOME: root };
  const args = [program, "--agent", agent.join(" "), "--cwd", root, "--approve-all"];
  const run = (/** @type {string[]} */ ...more) =>
    promisify(execFile)(process.execPath, [...args, ...more], { cwd: root, env });
  await run("sessions", "new");
  return {
    async run(prompt, onText) {
      const all = [...args, "--format", "json", "prompt", prompt];
      const child = spawn(process.execPath, all, {
        cwd: root,
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const exit = once(child, "exit");
      receiveLines(child.stdout, (message) => {
        const text = pieceOf(message);
        if (text !== undefined) onText(text);
      });
      const [code] = await exit;
      if (code !== 0) throw new Error(`acpx exited with ${code}.`);
    },
    async close() {
      await run("sessions", "close");
    },
  };
}
