/**
 * Types into real consoles (tmux) and draws what they show: docs/images/run.svg, `halyard run` with an approval, and
 * docs/images/attach.svg, `halyard start` and `attach`. The model is scripted. Reads dist/: build first.
 * node scripts/draw-sessions.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { drawConsole } from "./typed-console.mjs";

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
 * @param {(keyboard: import("./typed-console.mjs").Keyboard) => Promise<void>} act
 */
function draw(name, title, act) {
  return drawConsole(name, { title, directory: root, cwd, env: environment() }, act);
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
