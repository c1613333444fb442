import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import Module from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finished, newUser, program, StartedCli } from "../../test/cli/start-cli.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/** Has a program say how many of its files were compiled from their source, and how many were compiled already. */
const counter = `
const vm = require("node:vm");
let [anew, kept] = [0, 0];
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options.cachedData && !this.cachedDataRejected) kept++;
    else anew++;
  }
};
process.on("exit", () => require("node:fs").writeSync(2, anew + " anew, " + kept + " kept\\n"));
`;

const byNode = Reflect.has(Module, "enableCompileCache");

describe.skipIf(byNode)("where Node does not keep compiled code itself", () => {
  test("a second start compiles nothing", async () => {
    const start = await install();
    expect((await start()).stderr).toMatch(/^[1-9]\d* anew, 0 kept$/m);
    const { stdout, stderr } = await start();
    expect(stdout).toContain("Usage: halyard");
    expect(stderr).toMatch(/^0 anew, [1-9]\d* kept$/m);
  });

  test("what is damaged is compiled and kept anew", async () => {
    const start = await install();
    await start();
    const file = await oneKept(start.kept);
    const whole = await readFile(file);
    for (const at of [0, 40, whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      await writeFile(file, damaged);
      const { exitCode, stderr } = await start();
      expect(stderr).toMatch(/^1 anew/m);
      expect(exitCode).toBe(0);
    }
    await writeFile(file, whole.subarray(0, 100));
    expect((await start()).stderr).toMatch(/^1 anew/m);
    expect((await start()).stderr).toMatch(/^0 anew/m);
  });

  test("what is of another source is compiled", async () => {
    const start = await install();
    await start();
    const kept = await oneKept(start.kept);
    const source = join(start.bin, kept.slice(start.kept.length));
    const text = await readFile(source, "utf8");
    await writeFile(source, text.replaceAll("Usage:", "USAGE:"));
    const { stdout, stderr } = await start();
    expect(stdout).toContain("USAGE: halyard");
    expect(stderr).toMatch(/^1 anew/m);
  });

  test("where nothing can be written, all is compiled", async () => {
    const start = await install();
    await writeFile(join(start.bin, "compiled"), "in the way");
    for (const _ of [1, 2]) {
      const { exitCode, stdout, stderr } = await start();
      expect(stderr).toMatch(/^[1-9]\d* anew, 0 kept\n$/);
      expect(stdout).toContain("Usage: halyard");
      expect(exitCode).toBe(0);
    }
  });

  test("ten at once that are the first do not disturb each other", async () => {
    const start = await install();
    const all = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(all.map(({ exitCode }) => exitCode)).toEqual(all.map(() => 0));
    expect((await start()).stderr).toMatch(/^0 anew/m);
    const names = await readdir(start.kept);
    expect(names.every((name) => name.endsWith(".js"))).toBe(true);
  });
});

test.runIf(byNode)("where Node keeps compiled code itself, it is beside the program", async () => {
  const start = await install();
  expect((await start()).exitCode).toBe(0);
  expect(await readdir(start.kept)).not.toEqual([]);
  expect((await start()).stdout).toContain("Usage: halyard");
});

/** A Halyard of its own, which has never been started. */
async function install(): Promise<(() => Promise<Finished>) & { bin: string; kept: string }> {
  const root = await temporaryDirectory();
  const bin = join(root, "dist", "bin");
  const notKept = (path: string) => !path.startsWith(join(dirname(program), "compiled"));
  await cp(dirname(program), bin, { recursive: true, filter: notKept });
  await cp(new URL("../../package.json", import.meta.url), join(root, "package.json"));
  const preload = join(root, "counter.cjs");
  await writeFile(preload, counter);
  const user = await newUser({ NODE_OPTIONS: `--require=${preload}` });
  const start = () =>
    new StartedCli(user, [process.execPath, join(bin, "halyard.js"), "--help"]).finished;
  const kept = join(bin, "compiled", `${process.version}-${process.arch}`);
  return Object.assign(start, { bin, kept });
}

async function oneKept(directory: string): Promise<string> {
  const names = await readdir(directory);
  const name = names.find((each) => each.startsWith("commands-"));
  return join(directory, name ?? "");
}
