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
 * What it writes until it exits, which it must do in peace.
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
