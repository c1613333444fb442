/**
 * Runs a race of three real runtimes in a real console (tmux), adopts the winner, and draws docs/images/race.svg. The
 * model is scripted. Run `npm run build` and `npm run test:real` first: the script uses dist/ and the installed runtimes.
 * node scripts/draw-race.mjs
 */
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { runtimesDir } from "../test/real/cached-runtimes.mjs";
import { newPictureUser } from "./picture-user.mjs";
import { drawConsole } from "./typed-console.mjs";

const PRICE = "export const price = (cents) => cents / 100;\n";
const TEST = `import { price } from "./price.js";
if (price(1250) !== "12.50") {
  console.error("price(1250) is " + price(1250) + ", not 12.50");
  process.exit(1);
}
`;

const model = await startScriptedModel();
const { directory, cwd, home, env, close } = newPictureUser("shop", model);
symlinkSync(runtimesDir, join(home, "runtimes"));
writeFileSync(join(cwd, "price.js"), PRICE);
writeFileSync(join(cwd, "test.js"), TEST);
writeFileSync(join(cwd, "package.json"), '{ "type": "module" }\n');

/** @param {string} line */
const sed = (line) => `sed -i '1s|.*|${line}|' price.js`;
const right = sed("export const price = (cents) => (cents / 100).toFixed(2);");
const wrong = sed("export const price = (cents) => Math.round(cents) / 100;");
const wordy = `${right} && printf '\\n// Two decimals, as the test expects.\\n' >> price.js`;
answer(({ tools }) => tools.includes("glob"), {
  name: "bash",
  input: { command: right, description: "Format the price" },
});
answer(({ tools }) => tools.includes("Execute"), {
  name: "Execute",
  input: {
    command: wordy,
    summary: "Format the price",
    riskLevel: "low",
    riskLevelReason: "changes one file",
  },
});
answer(({ tools }) => tools.includes("bash") && !tools.includes("glob"), {
  name: "bash",
  input: { command: wrong },
});

try {
  git("init", "--quiet", "-b", "main");
  git("add", "--all");
  git("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "--quiet", "-m", "Start");
  const title = "halyard race and halyard adopt";
  const options = { title, directory, cwd, env, columns: 124 };
  await drawConsole("race", options, async ({ type, until }) => {
    type(
      'halyard race -r opencode -r droid -r pi -p allow-all --check "node test.js" "Show two decimals"',
    );
    const winner = await until(/(?<=passed .*)ses_\w+(?=[\s\S]*check failed[\s\S]*\n[#$] *$)/);
    type(`halyard adopt ${winner}`);
    await until(/adopt[\s\S]*\n[#$] *$/);
    type("git diff --stat && node test.js && echo passed");
    await until(/\npassed\n/);
  });
} finally {
  await close();
}

/**
 * Scripts the model's answers for one runtime. `when` recognizes the runtime by its tools.
 * @param {(request: import("../dist/testing/script.js").ModelRequest) => boolean} when
 * @param {{ name: string, input: object }} call
 */
function answer(when, call) {
  model.on(when, { toolCalls: [call] }, { text: "Prices now have two decimals." });
}

/** @param {string[]} args */
function git(...args) {
  execFileSync("git", args, { cwd });
}
