/**
 * Types into real consoles (tmux) and draws what they show: docs/images/run.svg, `halyard run` with an approval, and
 * docs/images/attach.svg, `halyard start` and `attach`. The model is scripted. Reads dist/: build first.
 * node scripts/draw-sessions.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { drawTerminal } from "./terminal-picture.mjs";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));
const ANSWER = `## Fixed

The test expected **two** lines, and \`greet.js\` printed one.

| file | change |
|------|--------|
| greet.js | prints the second line |
`;

const root = mkdtempSync(join(tmpdir(), "halyard-"));
const [cwd, bin] = [join(root, "greeter"), join(root, "bin")];
for (const directory of [cwd, bin]) mkdirSync(directory);
const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${HALYARD}' "$@"\n`;
writeFileSync(join(bin, "halyard"), wrapper, { mode: 0o700 });
writeFileSync(join(cwd, "greet.js"), 'console.log("Hello");\n');
const edits = [
  { oldText: 'console.log("Hello");', newText: 'console.log("Hello");\nconsole.log("Bye");' },
];
const edit = { name: "edit", input: { path: "greet.js", edits } };
const test = { name: "bash", input: { command: "sleep 2 && node greet.js" } };
const model = await startScriptedModel([
  { when: "greeting", replies: [{ toolCalls: [edit] }, { toolCalls: [test] }, { text: ANSWER }] },
  { when: "again", replies: [{ toolCalls: [test] }, { text: "It prints **both** lines." }] },
]);

try {
  await draw("run", "halyard run with an approval", async ({ type, until }) => {
    type('halyard run "Fix the greeting"');
    await until(/Allow edit[\s\S]*allow\?[^›]*›/);
    type("y");
    await until(/Allow this bash[\s\S]*allow\?[^›]*›/);
    type("no, run npm test instead");
    await until(/completed/);
  });
  await draw("attach", "halyard start and halyard attach", async ({ type, press, until }) => {
    type('halyard start --name api "Check it again"');
    await until(/watch it.*\n[#$]/);
    type("halyard attach api");
    await until(/allow\?[^›]*›/);
    type("y");
    await until(/completed/);
    type("/halp");
    await until(/Unknown command/);
    press("C-d");
    await until(/continues/);
  });
} finally {
  // Agents continue after "daemon stop", so their sessions are stopped first.
  for (const args of [
    ["stop", "--all"],
    ["daemon", "stop"],
  ])
    execFileSync(process.execPath, [HALYARD, ...args], { env: environment(), stdio: "ignore" });
  await model.close();
  rmSync(root, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {string} title
 * @param {(keyboard: { type(line: string): void, press(key: string): void, until(shown: RegExp): Promise<void> }) => Promise<void>} act
 */
async function draw(name, title, act) {
  const socket = join(root, `${name}.sock`);
  const tmux = (/** @type {string[]} */ ...args) =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: environment(),
    });
  tmux("new-session", "-d", "-x", "104", "-y", "60", "-c", cwd, "sh");
  const show = () => tmux("capture-pane", "-p", "-e").trimEnd();
  const keyboard = {
    type: (/** @type {string} */ line) => tmux("send-keys", line, "Enter"),
    press: (/** @type {string} */ key) => tmux("send-keys", key),
    async until(/** @type {RegExp} */ shown) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it removes
      const plain = () => show().replaceAll(/\u001b\[[\d;]*m/g, "");
      for (let tries = 0; !shown.test(plain()); tries++) {
        if (tries > 600) throw new Error(`the console never shows ${shown}:\n${plain()}`);
        await delay(100);
      }
    },
  };
  try {
    await keyboard.until(/[#$]/); // keys that arrive before the shell's first prompt are drawn without it
    await act(keyboard);
    await delay(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a prompt may follow an escape sequence
    const prompt = /^((?:\u001b\[[\d;]*m)*)# ?/gm;
    const lines = show().replaceAll(prompt, "$1$ ").split("\n");
    if (/\$ $/.test(lines.at(-1) ?? "")) lines.pop();
    writeFileSync(
      new URL(`../docs/images/${name}.svg`, import.meta.url),
      drawTerminal(lines, title),
    );
  } finally {
    tmux("kill-server");
  }
}

function environment() {
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: root,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    PS1: "$ ",
    HALYARD_HOME: join(root, "halyard"),
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey ?? "",
  };
}
