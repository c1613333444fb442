/** Types into a real console (tmux) and draws what it shows. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { drawTerminal } from "./terminal-picture.mjs";

/**
 * The actions of a person at the console.
 * @typedef {object} Keyboard
 * @property {(line: string) => void} type types a line and presses Enter
 * @property {(key: string) => void} press presses one key, by its tmux name
 * @property {(shown: RegExp) => Promise<string>} until waits until the console shows the pattern, and returns the match
 */

/**
 * Opens a console, runs `act`, and draws the last contents of the console to docs/images/NAME.svg.
 * @param {string} name
 * @param {{ title: string, directory: string, cwd: string, env: Record<string, string>, columns?: number }} options
 *   `directory` receives the socket of tmux; `columns` defaults to 104.
 * @param {(keyboard: Keyboard) => Promise<void>} act
 */
export async function drawConsole(name, { title, directory, cwd, env, columns = 104 }, act) {
  const socket = join(directory, `${name}.sock`);
  const tmux = (/** @type {string[]} */ ...args) =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env,
    });
  tmux("new-session", "-d", "-x", `${columns}`, "-y", "60", "-c", cwd, "sh");
  const show = () => tmux("capture-pane", "-p", "-e").trimEnd();
  /** @type {Keyboard} */
  const keyboard = {
    type: (line) => tmux("send-keys", line, "Enter"),
    press: (key) => tmux("send-keys", key),
    async until(shown) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences
      const plain = () => show().replaceAll(/\u001b\[[\d;]*m/g, "");
      for (let tries = 0; ; tries++) {
        const [match] = shown.exec(plain()) ?? [];
        if (match !== undefined) return match;
        if (tries > 600)
          throw new Error(`The console did not show ${shown}. It shows:\n${plain()}`);
        await delay(100);
      }
    },
  };
  try {
    // Wait for the first prompt of the shell, because earlier keys would be drawn without it.
    await keyboard.until(/[#$]/);
    await act(keyboard);
    await delay(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a prompt may follow an escape sequence
    const prompt = /^((?:\u001b\[[\d;]*m)*)# ?/gm;
    const lines = show().replaceAll(prompt, "$1$ ").split("\n");
    if (/\$ $/.test(lines.at(-1) ?? "")) lines.pop();
    const file = new URL(`../docs/images/${name}.svg`, import.meta.url);
    writeFileSync(file, drawTerminal(lines, title));
  } finally {
    tmux("kill-server");
  }
}
