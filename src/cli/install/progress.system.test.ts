import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser, program, StartedCli } from "../../../test/cli/start-cli.ts";

test("prints a progress line every 10 s without a console", async () => {
  const user = await newUser();
  const bin = join(user.cwd, "bin");
  await mkdir(bin);
  const fetched = "npm http fetch GET 200 x";
  const script = `echo "${fetched}" >&2; echo "${fetched}" >&2; exec sleep 600`;
  await writeFile(join(bin, "npm"), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, "npm"), 0o755);
  const env = { ...user.env, PATH: `${bin}:${user.env.PATH}` };
  const args = [program, "runtime", "install", "opencode"];
  const cli = new StartedCli({ ...user, env }, [process.execPath, ...args]);
  await expect
    .poll(() => cli.stderr, { timeout: 60_000 })
    .toMatch(/^(?: {2}\d+ s, 2 responses from the registry\n){2}/m);
  cli.process.kill("SIGINT");
  expect(await cli.finished).toMatchObject({ exitCode: 130, stdout: "" });
});
