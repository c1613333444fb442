/**
 * Runs a race of three real runtimes in a real console (tmux), adopts the winner, and draws docs/images/race.svg. The
 * model is scripted. Reads dist/, and the runtimes that `npm run test:real` has installed: run both first.
 * node scripts/draw-race.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { runtimesDir } from "../test/real/cached-runtimes.mjs";
import { drawConsole } from "./typed-console.mjs";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));
const PRICE = "export const price = (cents) => cents / 100;\n";
const TEST = `import { price } from "./price.js";
if (price(1250) !== "12.50") {
  console.error("price(1250) is " + price(1250) + ", not 12.50");
  process.exit(1);
}
`;

const root = mkdtempSync(join(tmpdir(), "halyard-"));
const [cwd, bin, home] = [join(root, "shop"), join(root, "bin"), join(root, "halyard")];
for (const directory of [cwd, bin, home]) mkdirSync(directory);
symlinkSync(runtimesDir, join(home, "runtimes"));
const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${HALYARD}' "$@"\n`;
writeFileSync(join(bin, "halyard"), wrapper, { mode: 0o700 });
writeFileSync(join(cwd, "price.js"), PRICE);
writeFileSync(join(cwd, "test.js"), TEST);
writeFileSync(join(cwd, "package.json"), '{ "type": "module" }\n');

const model = await startScriptedModel();
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
  const options = {
    title: "halyard race and halyard adopt",
    directory: root,
    cwd,
    env: environment(),
    columns: 124,
  };
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
  for (const args of [
    ["stop", "--all"],
    ["daemon", "stop"],
  ])
    execFileSync(process.execPath, [HALYARD, ...args], { env: environment(), stdio: "ignore" });
  await model.close();
  rmSync(root, { recursive: true, force: true });
}

/**
 * Answers the requests of one runtime, which its tools identify.
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

function environment() {
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: root,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    PS1: "$ ",
    GIT_PAGER: "cat",
    HALYARD_HOME: home,
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey ?? "",
  };
}
