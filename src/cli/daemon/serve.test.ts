import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon } from "../../../test/daemon/scene.ts";

test("listens on the address in config/server.json, and replaces its host with --host", async () => {
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

async function serveUntilReady(user: User, args: readonly string[], input = ""): Promise<string> {
  const cli = new StartedCli(user, [process.execPath, program, "serve", "--port", "0", ...args]);
  cli.process.stdin.end(input);
  await cli.says(/^http:.*\n/);
  return cli.stdout.trim();
}

test("reads the token from a file, from standard input or from HALYARD_TOKEN", async () => {
  const token = "a-token-of-mine";
  const serves = async (user: User, args: readonly string[], input?: string) => {
    const url = await serveUntilReady(user, args, input);
    const status = async (given: string) => {
      const headers = { authorization: `Bearer ${given}` };
      return (await fetch(`${url}/v1/sessions`, { headers })).status;
    };
    expect([await status(token), await status("another")]).toEqual([200, 401]);
  };
  const user = await newUser();
  const file = join(user.cwd, "token");
  await writeFile(file, `${token}\n`);
  await serves(user, ["--token-file", file]);
  await serves(await newUser(), ["--token-file", "-"], `${token}\n`);
  await serves(await newUser({ HALYARD_TOKEN: token }), []);
});

test("rejects --token without printing its value, and rejects an empty or missing token file", async () => {
  const user = await newUser();
  const empty = join(user.cwd, "empty");
  await writeFile(empty, "\n");
  const refused = (...args: string[]) => runWarm(user, ["serve", "--port", "0", ...args]);
  const given = await refused("--token", "a-token-of-mine");
  expect(given).toMatchObject({ exitCode: 2, stdout: "" });
  expect(given.stderr).toMatch(/--token-file FILE.*HALYARD_TOKEN/);
  expect(given.stderr).not.toContain("a-token-of-mine");
  expect(await refused("--token-file", empty)).toMatchObject({ exitCode: 2, stdout: "" });
  expect(await refused("--token-file", join(user.cwd, "none"))).toMatchObject({ exitCode: 2 });
});

test("keeps the background daemon if the port is in use or the host needs --expose", async () => {
  const user = await newDaemonUser();
  await startFakeDaemon(user);
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await runWarm(user, ["serve", "--port", String(port)])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: `),
  });
  expect(await runWarm(user, ["serve", "--host", "0.0.0.0", "--port", "0"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--expose"),
  });
  expect(await runWarm(user, ["daemon", "status"])).toMatchObject({ exitCode: 0 });
});

test("does not accept an empty token if HALYARD_TOKEN is empty", async () => {
  const url = await serveUntilReady(await newUser({ HALYARD_TOKEN: "" }), []);
  const headers = { authorization: "Bearer " };
  expect((await fetch(`${url}/v1/sessions`, { headers })).status).toBe(401);
});
