import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser } from "../../test/cli/start-cli.ts";

/** Has a program say how often it made code of a text, which is how a schema is compiled. */
const counter = `
let made = 0;
globalThis.Function = new Proxy(Function, {
  construct: (target, args) => { made++; return Reflect.construct(target, args); },
});
process.on("exit", () => require("node:fs").writeSync(2, "made code " + made + " times\\n"));
`;

test("a command that ends soon compiles none of the schemas it parses with", async () => {
  const plain = await newUser();
  const file = join(plain.cwd, "counter.cjs");
  await writeFile(file, counter);
  const user = { ...plain, env: { ...plain.env, NODE_OPTIONS: `--require=${file}` } };
  const args = ["--runtime", "acp", "--command", "no-such-agent", "--format", "json", "hi"];
  const { stdout, stderr } = await halyard(user, ["run", ...args]);
  expect(stdout).toContain("no-such-agent");
  expect(stderr).toContain("made code 0 times");
});
