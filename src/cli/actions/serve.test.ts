import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser, program, StartedCli } from "../../../test/cli/start-cli.ts";

test("serve listens where config/server.json says, unless told otherwise", async () => {
  const user = await newUser();
  await mkdir(join(user.cwd, "config"));
  await writeFile(join(user.cwd, "config", "server.json"), '{ "address": "localhost:0" }');
  const urlOf = async (...args: string[]): Promise<URL> => {
    const cli = new StartedCli(user, [process.execPath, program, "serve", ...args]);
    await cli.says(/^http:.*\n/);
    cli.process.kill("SIGTERM");
    expect((await cli.finished).exitCode).toBe(0);
    return new URL(cli.stdout.trim());
  };
  const { port } = await urlOf();
  expect(port).not.toBe("4747");
  expect((await urlOf("--host", "127.0.0.1")).hostname).toBe("127.0.0.1");
});
