import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import Module from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finished, newUser, program, StartedCli } from "../../test/cli/start-cli.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/** A preload script that prints how many files were compiled from source, and how many came from the cache. */
const counter = `
const vm = require("node:vm");
let [compiled, cached] = [0, 0];
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options.cachedData && !this.cachedDataRejected) cached++;
    else compiled++;
  }
};
process.on("exit", () => require("node:fs").writeSync(2, compiled + " compiled, " + cached + " cached\\n"));
`;

const hasNodeCache = Reflect.has(Module, "enableCompileCache");

describe.skipIf(hasNodeCache)("without a compile cache in Node", () => {
  test("compiles nothing on the second start", async () => {
    const start = await install();
    expect((await start()).stderr).toMatch(/^[1-9]\d* compiled, 0 cached$/m);
    const { stdout, stderr } = await start();
    expect(stdout).toContain("Usage: halyard");
    expect(stderr).toMatch(/^0 compiled, [1-9]\d* cached$/m);
  });

  test("recompiles and replaces a damaged cache file", async () => {
    const start = await install();
    await start();
    const file = await oneCacheFile(start.cache);
    const original = await readFile(file);
    for (const at of [0, 40, original.length - 1]) {
      const damaged = Buffer.from(original);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      await writeFile(file, damaged);
      const { exitCode, stderr } = await start();
      expect(stderr).toMatch(/^1 compiled/m);
      expect(exitCode).toBe(0);
    }
    await writeFile(file, original.subarray(0, 100));
    expect((await start()).stderr).toMatch(/^1 compiled/m);
    expect((await start()).stderr).toMatch(/^0 compiled/m);
  });

  test("recompiles a file whose source has changed", async () => {
    const start = await install();
    await start();
    const cached = await oneCacheFile(start.cache);
    const source = join(start.bin, cached.slice(start.cache.length));
    const text = await readFile(source, "utf8");
    await writeFile(source, text.replaceAll("Usage:", "USAGE:"));
    const { stdout, stderr } = await start();
    expect(stdout).toContain("USAGE: halyard");
    expect(stderr).toMatch(/^1 compiled/m);
  });

  test("compiles every time if the cache cannot be written", async () => {
    const start = await install();
    await writeFile(join(start.bin, "compiled"), "in the way");
    for (const _ of [1, 2]) {
      const { exitCode, stdout, stderr } = await start();
      expect(stderr).toMatch(/^[1-9]\d* compiled, 0 cached\n$/);
      expect(stdout).toContain("Usage: halyard");
      expect(exitCode).toBe(0);
    }
  });

  test("ten concurrent first starts write a valid cache", async () => {
    const start = await install();
    const all = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(all.map(({ exitCode }) => exitCode)).toEqual(all.map(() => 0));
    expect((await start()).stderr).toMatch(/^0 compiled/m);
    const names = await readdir(start.cache);
    expect(names.every((name) => name.endsWith(".js"))).toBe(true);
  });
});

test.runIf(hasNodeCache)("stores Node's compile cache next to the program", async () => {
  const start = await install();
  expect((await start()).exitCode).toBe(0);
  expect(await readdir(start.cache)).not.toEqual([]);
  expect((await start()).stdout).toContain("Usage: halyard");
});

/**
 * Copies the built program to a temporary directory, without its compile cache. Returns a function that starts the
 * copy.
 */
async function install(): Promise<(() => Promise<Finished>) & { bin: string; cache: string }> {
  const root = await temporaryDirectory();
  const bin = join(root, "dist", "bin");
  const isNotCache = (path: string) => !path.startsWith(join(dirname(program), "compiled"));
  await cp(dirname(program), bin, { recursive: true, filter: isNotCache });
  await cp(new URL("../../package.json", import.meta.url), join(root, "package.json"));
  const preload = join(root, "counter.cjs");
  await writeFile(preload, counter);
  const user = await newUser({ NODE_OPTIONS: `--require=${preload}` });
  const start = () =>
    new StartedCli(user, [process.execPath, join(bin, "halyard.js"), "--help"]).finished;
  const cache = join(bin, "compiled", `${process.version}-${process.arch}`);
  return Object.assign(start, { bin, cache });
}

async function oneCacheFile(directory: string): Promise<string> {
  const names = await readdir(directory);
  const name = names.find((each) => each.startsWith("commands-"));
  return join(directory, name ?? "");
}
