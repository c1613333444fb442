import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test as base, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { ccsdkPackage, piPackage } from "../../src/adapters/versions.ts";
import { connectHalyard } from "../../src/client/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { smallAgent } from "../acp/small-agent.ts";
import { newUser, StartedCli } from "../cli/start-cli.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];

/** The `test` function with the fixture `tarball`: the path of the packed package. */
const test = base.extend<{ tarball: string }>({
  tarball: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    async ({}, use) => {
      const directory = await mkdtemp(join(tmpdir(), "halyard-"));
      await run("npm", ["pack", ...quiet, "--pack-destination", directory], { cwd: root });
      await use(join(directory, `halyard-${packageJson.version}.tgz`));
      await rm(directory, { recursive: true });
    },
    { scope: "file" },
  ],
});

test("runs from a global installation of the packed package", async ({ tarball }) => {
  const directory = await temporaryDirectory();
  const prefix = join(directory, "prefix");
  await run("npm", ["install", "--global", "--prefix", prefix, tarball, ...quiet]);

  const nowhere = "http://127.0.0.1:9/";
  const user = await newUser({ npm_config_registry: nowhere, npm_config_cache: directory });
  const program = join(prefix, "bin", "halyard");
  const halyard = (...args: string[]) => new StartedCli(user, [program, ...args]).finished;
  expect(await halyard("--version")).toEqual({
    exitCode: 0,
    stdout: `${packageJson.version}\n`,
    stderr: "",
  });
  expect(await halyard("completion", "bash")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("complete -"),
  });
  expect(await halyard("sessions")).toMatchObject({ exitCode: 0 });
  expect(await halyard("runtime", "install", "claude")).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("The npm registry cannot be reached"),
  });
});

test("can be installed beside the tested versions of Pi and the Claude Agent SDK", async ({
  tarball,
}) => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, "package.json"), '{ "private": true }');
  const others = [piPackage, ccsdkPackage].map(({ name, version }) => `${name}@${version}`);
  const args = ["install", "--dry-run", "--package-lock=false", ...quiet, tarball, ...others];
  // npm fails with ERESOLVE if a version is outside the accepted range.
  const { stdout } = await run("npm", args, { cwd: directory });
  expect(stdout).toMatch(/added \d+ packages/);
});

test("serves the API in Next.js with the files in docs/http-api.md", async ({ tarball }) => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, "package.json"), '{ "private": true }');
  for (const [path, content] of await recipeFiles()) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const packages = ["next@16.4.6", "react@19", "react-dom@19", "@types/react@19"];
  const compiler = ["typescript@5.9.3", "@types/node@20"];
  await run("npm", ["install", ...quiet, tarball, ...packages, ...compiler], { cwd: directory });
  const token = "a token of at least 32 characters, please";
  const user = await newUser({ NEXT_TELEMETRY_DISABLED: "1", HALYARD_TOKEN: token });
  const next = (...args: string[]) =>
    new StartedCli({ ...user, cwd: directory }, [
      process.execPath,
      join(directory, "node_modules/next/dist/bin/next"),
      ...args,
    ]);
  expect(await next("build").finished).toMatchObject({ exitCode: 0 });

  const server = next("start", "--port", "0", "--hostname", "127.0.0.1");
  await server.says(/http:\/\/127\.0\.0\.1:\d+[\s\S]*Ready/);
  const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.stdout) ?? [];
  expect((await fetch(`${address}/halyard/v1/sessions`)).status).toBe(401);
  await using halyard = await connectHalyard(`${address}/halyard`, { token });
  const options = { command: smallAgent, passEnv: ["AGENT_*"] };
  const session = await halyard.start({ runtime: "acp", cwd: user.cwd, options });
  const turn = session.send("!meta");
  const types = new Set<string>();
  for await (const { type } of turn) types.add(type);
  expect(types).toContain("completion");
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  await session.stop();
  server.process.kill();
  await server.finished;
});

/** Returns the code blocks in docs/http-api.md that begin with a file name, each with that name. */
async function recipeFiles(): Promise<[string, string][]> {
  const text = await readFile(join(root, "docs/http-api.md"), "utf8");
  const blocks = text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm);
  const files = [...blocks].map(([, path = "", code = ""]): [string, string] => [path, code]);
  expect(files.map(([path]) => path)).toEqual(["app/halyard/[...path]/route.ts", "next.config.ts"]);
  return files;
}
