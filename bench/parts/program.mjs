import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/**
 * @typedef {object} Program
 * @property {string} file
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * Runs a program and returns its output. Throws if its exit code is not 0.
 * @param {Program} program
 * @param {string} cwd
 */
export async function run({ file, args, env }, cwd) {
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(child, "exit");
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exit,
  ]);
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors}${output}`);
  return output;
}
