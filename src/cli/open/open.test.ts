import { once } from "node:events";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { startDaemon } from "../../daemon/start.ts";

/** Creates a user whose daemon is stopped at the end of the test. */
async function newDaemonUser(env: Readonly<Record<string, string>> = {}): Promise<User> {
  const user = await newUser(env);
  onTestFinished(async () => void (await runWarm(user, ["daemon", "stop"])));
  return user;
}

async function printLink(user: User): Promise<URL> {
  const { exitCode, stdout } = await runWarm(user, ["open", "--no-browser"]);
  expect(exitCode).toBe(0);
  return new URL(stdout.trim());
}

/** Signs in with the code in the address, as the page does. */
async function signIn(link: URL): Promise<Response> {
  const code = new URLSearchParams(link.hash.slice(1)).get("code");
  const { origin } = link;
  const init = { method: "POST", headers: { origin }, body: JSON.stringify({ code }) };
  return fetch(new URL("/v1/sign-in", origin), init);
}

async function cookieOf(link: URL): Promise<string> {
  const response = await signIn(link);
  expect(response.status).toBe(204);
  return response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

async function statusWith(cookie: string, { origin }: URL): Promise<number> {
  return (await fetch(new URL("/v1/sessions", origin), { headers: { cookie } })).status;
}

test("prints a link that signs in one browser once", async () => {
  const user = await newDaemonUser();
  const link = await printLink(user);
  expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
  const cookie = await cookieOf(link);
  expect((await signIn(link)).status).toBe(401);
  expect(await statusWith(cookie, link)).toBe(200);
  expect(await statusWith("", link)).toBe(401);
  const secret = cookie.split("=")[1] ?? "";
  const file = join(user.home, "browsers.json");
  expect(await readFile(file, "utf8")).not.toContain(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(user.home, "daemon.log"), "utf8")).not.toContain(secret);
});

test("serves the page at the same address to signed-in browsers after the daemon restarts", async () => {
  const user = await newDaemonUser();
  const link = await printLink(user);
  const cookie = await cookieOf(link);
  expect((await printLink(user)).origin).toBe(link.origin);
  await runWarm(user, ["daemon", "stop"]);
  await expect(statusWith(cookie, link)).rejects.toThrow();
  const command = [process.execPath, program, "daemon", "run"] as const;
  await startDaemon({ home: user.home, command: [...command], env: user.env });
  expect(await statusWith(cookie, link)).toBe(200);
  const status = await runWarm(user, ["daemon", "status"]);
  expect(status.stdout).toContain(link.origin);
});

test("a new daemon without signed-in browsers opens no port", async () => {
  const user = await newDaemonUser();
  const command = [process.execPath, program, "daemon", "run"] as const;
  const record = await startDaemon({ home: user.home, command: [...command], env: user.env });
  expect(record.url).toBeUndefined();
});

test("uses and stores another port if the stored port is taken", async () => {
  const user = await newDaemonUser();
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await mkdir(user.home, { mode: 0o700 });
  await writeFile(join(user.home, "page.json"), JSON.stringify({ port }));
  const link = await printLink(user);
  expect(link.port).not.toBe(String(port));
  expect(JSON.parse(await readFile(join(user.home, "page.json"), "utf8"))).toEqual({
    port: Number(link.port),
  });
});

test("signs out all browsers, with and without a daemon", async () => {
  const user = await newDaemonUser();
  const link = await printLink(user);
  const cookie = await cookieOf(link);
  expect(await runWarm(user, ["open", "--sign-out"])).toMatchObject({
    exitCode: 0,
    stderr: "All browsers are signed out, and all shared links are revoked.\n",
  });
  expect(await statusWith(cookie, link)).toBe(401);
  const other = await cookieOf(await printLink(user));
  await runWarm(user, ["daemon", "stop"]);
  expect((await runWarm(user, ["open", "--sign-out"])).exitCode).toBe(0);
  expect(await statusWith(other, await printLink(user))).toBe(401);
});

test("passes the link to the browser and prints the address without the code", async () => {
  const user = await newDaemonUser({ DISPLAY: ":0" });
  const bin = join(user.cwd, "bin");
  const opened = join(user.cwd, "opened");
  await mkdir(bin);
  await writeFile(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`);
  await chmod(join(bin, "xdg-open"), 0o755);
  const env = { ...user.env, PATH: `${bin}:${user.env.PATH}` };
  const { exitCode, stdout } = await runWarm({ ...user, env }, ["open"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
  const link = new URL(await readFile(opened, "utf8"));
  expect(`${link.origin}/\n`).toBe(stdout);
  expect((await signIn(link)).status).toBe(204);
});

test("prints the link if no browser can be opened", async () => {
  const user = await newDaemonUser();
  const plain = await runWarm(user, ["open"]);
  expect(plain.stdout).toContain("/#code=");
  expect(plain.stderr).toContain("No display is available");
  const bin = join(user.cwd, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "xdg-open"), "#!/bin/sh\nexit 3\n");
  await chmod(join(bin, "xdg-open"), 0o755);
  const env = { ...user.env, DISPLAY: ":0", PATH: `${bin}:${user.env.PATH}` };
  const failed = await runWarm({ ...user, env }, ["open"]);
  expect(failed.stdout).toContain("/#code=");
  expect(failed.stderr).toContain("xdg-open failed with exit code 3.");
});

test("signs in to a server that runs in the foreground, which prints another link with --expose", async () => {
  const user = await newUser();
  const args = ["serve", "--port", "0", "--expose"];
  const cli = new StartedCli(user, [process.execPath, program, ...args]);
  await cli.says(/^http:.*\n/);
  const link = await printLink(user);
  expect(`${link.origin}\n`).toBe(cli.stdout);
  expect(await statusWith(await cookieOf(link), link)).toBe(200);
  cli.process.kill("SIGTERM");
  const { stderr } = await cli.finished;
  const [printed] = /http:\S+#code=\S+/.exec(stderr) ?? [];
  expect(new URL(printed ?? "").origin).toBe(link.origin);
  expect(printed).not.toBe(link.href);
});
