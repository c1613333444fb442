import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { newUser, StartedCli } from "../../test/cli/start-cli.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

test("runs from a global installation of the packed package", async () => {
  const directory = await temporaryDirectory();
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["pack", ...quiet, "--pack-destination", directory], { cwd: root });
  const tarball = join(directory, `halyard-${packageJson.version}.tgz`);
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
