import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser } from "../../test/cli/start-cli.ts";

/** A preload script that prints how often a program called `new Function`, which compiles a schema. */
const counter = `
let calls = 0;
globalThis.Function = new Proxy(Function, {
  construct: (target, args) => { calls++; return Reflect.construct(target, args); },
});
process.on("exit", () => require("node:fs").writeSync(2, "called new Function " + calls + " times\\n"));
`;

test("a short command compiles no schema", async () => {
  const plain = await newUser();
  const file = join(plain.cwd, "counter.cjs");
  await writeFile(file, counter);
  const user = { ...plain, env: { ...plain.env, NODE_OPTIONS: `--require=${file}` } };
  const args = ["--runtime", "acp", "--command", "no-such-agent", "--format", "json", "hi"];
  const { stdout, stderr } = await halyard(user, ["run", ...args]);
  expect(stdout).toContain("no-such-agent");
  expect(stderr).toContain("called new Function 0 times");
});
