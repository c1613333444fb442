import { faults } from "./faults.mjs";
import { work } from "./work.mjs";

/** @typedef {Record<string, (turn: import("./turn.mjs").Turn, text: string) => unknown>} Commands */

/**
 * Runs a prompt's commands, which are joined by `; ` or ` then `, and then the commands in steered messages.
 * Returns the error that ended the run early, if any.
 * @param {string} prompt
 * @param {import("./turn.mjs").Turn} turn
 * @returns {Promise<string | undefined>}
 */
export async function run(prompt, turn) {
  const steps = prompt.split(SEPARATOR);
  while (steps.length > 0 && !turn.signal.aborted) {
    const [, name = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(steps.shift() ?? "") ?? [];
    const command = commands[name];
    if (!command) return `unknown command: ${name}`;
    try {
      await command(turn, text);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    steps.push(...turn.takeSteered().flatMap((steered) => steered.split(SEPARATOR)));
  }
}

/** @type {Commands} */
const commands = { ...work, ...faults };

/** If no command follows, `; ` and ` then ` are part of the text. */
const SEPARATOR = new RegExp(`(?:; | then )(?=(?:${Object.keys(commands).join("|")})(?:[ ;]|$))`);
