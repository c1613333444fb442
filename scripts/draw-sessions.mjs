/**
 * Types into real consoles (tmux) and draws what they show: docs/images/run.svg (`halyard run` with an approval) and
 * docs/images/attach.svg (`halyard start` and `attach`). The model is scripted. Run `npm run build` first.
 * node scripts/draw-sessions.mjs
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { newPictureUser } from "./picture-user.mjs";
import { drawConsole } from "./typed-console.mjs";

const ANSWER = `## Fixed

The test expected **two** lines, and \`greet.js\` printed one.

| file | change |
|------|--------|
| greet.js | prints the second line |
`;

const edits = [
  { oldText: 'console.log("Hello");', newText: 'console.log("Hello");\nconsole.log("Bye");' },
];
const edit = { name: "edit", input: { path: "greet.js", edits } };
const test = { name: "bash", input: { command: "sleep 2 && node greet.js" } };
const model = await startScriptedModel([
  { when: "greeting", replies: [{ toolCalls: [edit] }, { toolCalls: [test] }, { text: ANSWER }] },
  { when: "again", replies: [{ toolCalls: [test] }, { text: "It prints **both** lines." }] },
]);
const { directory, cwd, env, close } = newPictureUser("greeter", model);
writeFileSync(join(cwd, "greet.js"), 'console.log("Hello");\n');

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
  await close();
}

/**
 * @param {string} name
 * @param {string} title
 * @param {(keyboard: import("./typed-console.mjs").Keyboard) => Promise<void>} act
 */
function draw(name, title, act) {
  return drawConsole(name, { title, directory, cwd, env }, act);
}
