import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const program = (name: string) => join(root, "node_modules/.bin", name);

/** Copies the files that the script reads or changes, and the files that the generated suites import. */
async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "halyard-"));
  const isNeeded = (path: string) => !/\/src\/.*\/fixtures$|\/locks$/.test(path);
  for (const path of ["src", "scripts", "test/real"])
    await cp(join(root, path), join(copy, path), { recursive: true, filter: isNeeded });
  for (const path of ["package.json", "tsconfig.json"])
    await cp(join(root, path), join(copy, path));
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

const newAdapter = (copy: string, ...args: string[]) =>
  run(process.execPath, [join(copy, "scripts/new-adapter.mjs"), ...args]);

describe("npm run new-adapter", { timeout: 120_000 }, () => {
  let copy: string;

  beforeAll(async () => {
    copy = await copyRepository();
    await newAdapter(copy, "my-agent", "--package", "@acme/my-agent@1.2.3");
    return () => rm(copy, { recursive: true, force: true });
  }, 120_000);

  test("creates every file that an adapter needs", async () => {
    const files = await readdir(join(copy, "src/adapters/my-agent"), { recursive: true });
    expect(files.sort()).toEqual([
      "command.ts",
      "connect.ts",
      "connection.ts",
      "events",
      "events/events.test.ts",
      "events/events.ts",
      "find.ts",
      "fixtures",
      "fixtures/text.jsonl",
      "index.ts",
      "messages.ts",
      "my-agent.real.test.ts",
      "project-settings.ts",
      "tool-calls.ts",
    ]);
  });

  test("registers the adapter, its package, its project settings and its bundle", async () => {
    const read = (path: string) => readFile(join(copy, path), "utf8");
    expect(await read("src/adapters/registry.ts")).toContain(
      '"my-agent": async (context) => (await import("./my-agent/index.ts")).myAgentAdapter(context),',
    );
    const versions = await read("src/adapters/versions.ts");
    expect(versions).toContain('name: "@acme/my-agent",\n  version: "1.2.3",');
    expect(versions).toContain('["my-agent", myAgentPackage],');
    expect(await read("src/adapters/project-settings.ts")).toContain(
      '{ runtime: "my-agent", settings: myAgentProjectSettings },',
    );
    expect(await read("scripts/bundle-cli.mjs")).toMatch(/const runtimes = \[.*"my-agent".*\];/);
  });

  test("creates files that compile", async () => {
    const folder = "src/adapters/my-agent";
    const tsconfig = {
      extends: "./tsconfig.json",
      compilerOptions: { incremental: false, tsBuildInfoFile: null },
      include: [],
      files: [
        `${folder}/index.ts`,
        `${folder}/events/events.test.ts`,
        `${folder}/my-agent.real.test.ts`,
        "src/adapters/project-settings.ts",
      ],
    };
    await writeFile(join(copy, "tsconfig.new.json"), JSON.stringify(tsconfig));
    const compiled = run(program("tsc"), ["-p", "tsconfig.new.json"], { cwd: copy });
    const { stdout } = await compiled.catch((error) => error);
    expect(stdout).toBe("");
  });

  test("creates a suite that fails because the fixture is a placeholder", async () => {
    const args = ["run", "--reporter=json", "src/adapters/my-agent/events/events.test.ts"];
    const env = { ...process.env, VITEST: undefined };
    const finished = run(program("vitest"), args, { cwd: copy, env });
    const { code, stdout } = await finished.catch((error) => error);
    expect(code).toBe(1);
    const report = Report.parse(JSON.parse(stdout));
    const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed");
    expect(results.length).toBeGreaterThan(failed.length);
    expect(failed.map(({ failureMessages }) => failureMessages[0]?.split("\n")[0])).toEqual([
      "AssertionError: expected [ { type: 'system', …(2) } ] to deeply equal []", // the placeholder contains an unknown message
      "AssertionError: expected [] to have a length of 1 but got +0", // the placeholder contains no completion
    ]);
  });

  test("rejects a name that exists, and changes nothing", async () => {
    const before = await readFile(join(copy, "src/adapters/registry.ts"), "utf8");
    await expect(newAdapter(copy, "my-agent")).rejects.toMatchObject({
      stderr: "src/adapters/my-agent already exists. Choose another name.\n",
    });
    expect(await readFile(join(copy, "src/adapters/registry.ts"), "utf8")).toBe(before);
  });

  test.each([{ names: [] }, { names: ["My Agent"] }, { names: ["one", "two"] }])(
    "rejects invalid arguments: $names",
    async ({ names }) => {
      await expect(newAdapter(copy, ...names)).rejects.toMatchObject({
        stderr: expect.stringMatching(/^Usage: npm run new-adapter NAME/),
      });
    },
  );
});

const Report = z.looseObject({
  testResults: z.array(
    z.looseObject({
      assertionResults: z.array(
        z.looseObject({ status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});
