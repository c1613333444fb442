import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findDaemon } from "../../src/daemon/find.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { connectTo, newDaemonUser, startFakeDaemon, startSession } from "./scene.ts";

async function statusOf(user: User) {
  return JSON.parse((await halyard(user, ["daemon", "status", "--format", "json"])).stdout);
}

describe("the daemon", () => {
  test("is started once, by the first command that needs it, and not by sessions, requests, ps or reap", async () => {
    const user = await newDaemonUser();
    for (const args of [["sessions"], ["requests"], ["ps"], ["reap"]])
      expect((await halyard(user, args)).exitCode).toBe(0);
    expect(await statusOf(user)).toMatchObject({ running: false });
    const stops = await Promise.all([1, 2, 3].map(() => halyard(user, ["stop", "--all"])));
    expect(stops.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      stops.map(() => [0, ""]),
    );
    const log = await readFile(join(user.home, "daemon.log"), "utf8");
    expect(log.match(/started with pid/g)).toHaveLength(1);
    const status = await statusOf(user);
    expect(status).toMatchObject({ running: true, kind: "background", sessions: 0 });
    expect((await halyard(user, ["daemon", "stop"])).stderr).toMatch(/has stopped/);
    expect((await halyard(user, ["daemon", "status"])).exitCode).toBe(4);
  });

  test("uses a shorter socket path if the home's path is too long", async () => {
    const user = await newDaemonUser();
    const home = join(user.home, "far".repeat(40));
    const long = {
      ...user,
      home,
      env: { ...user.env, HALYARD_HOME: home, XDG_RUNTIME_DIR: user.home },
    };
    await mkdir(user.home, { recursive: true });
    expect((await halyard(long, ["stop", "--all"])).exitCode).toBe(0);
    const { socketPath } = await statusOf(long);
    expect(socketPath.startsWith(user.home)).toBe(true);
    expect(socketPath).not.toContain("far");
    await halyard(long, ["daemon", "stop"]);
  });

  test("exits when no session has run for the idle time, and not before", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user, { idleSeconds: 3 });
    const id = await startSession(user, "say hello");
    await halyard(user, ["wait", id]);
    expect(await findDaemon(user.home)).toBeDefined();
    await halyard(user, ["stop", id]);
    await eventually(() => expect(daemon.process.exitCode).toBe(0));
    const log = await readFile(join(user.home, "daemon.log"), "utf8");
    expect(log).toContain("stopping because no session is live");
  });

  test("is replaced by a newer command if it is idle, and causes a warning if it is busy", async () => {
    const user = await newDaemonUser();
    const old = await startFakeDaemon(user, { version: "0.0.0-old" });
    const connected = await connectTo(user);
    const { id } = await connected.start({ runtime: "fake", cwd: user.cwd });
    const busy = await halyard(user, ["interrupt", id]);
    expect(busy.stderr).toMatch(/The daemon is Halyard 0\.0\.0-old, but this is .*daemon stop/);
    expect(await statusOf(user)).toMatchObject({ version: "0.0.0-old", sessions: 1 });
    await (await connected.session(id)).stop();
    expect((await halyard(user, ["stop", "--all"])).stderr).toBe("");
    expect(old.process.exitCode).toBe(0);
    expect((await statusOf(user)).version).not.toBe("0.0.0-old");
    await halyard(user, ["daemon", "stop"]);
  });

  test("reports why it cannot start if the database is damaged", async () => {
    const user = await newDaemonUser();
    await mkdir(user.home, { recursive: true });
    await writeFile(
      join(user.home, "halyard.db"),
      "this is no database, whatever it is called\n".repeat(99),
    );
    const { exitCode, stderr } = await halyard(user, ["stop", "--all"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/could not be started.*daemon\.log.*is damaged/s);
  });

  test("does not start if the home is not a directory, and reports the reason", async () => {
    const user = await newDaemonUser();
    await writeFile(user.home, "");
    const { exitCode, stderr } = await halyard(user, ["stop", "--all"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Cannot start a daemon.*HALYARD_HOME/s);
  });
});

describe("halyard serve", () => {
  test("prints its URL first, requires the token, and serves other commands", async () => {
    const user = await newDaemonUser({ HALYARD_TOKEN: "not-to-be-guessed" });
    await halyard(user, ["stop", "--all"]); // this command starts a background daemon, which serve replaces
    const served = new StartedCli(user, [process.execPath, program, "serve", "--port", "0"]);
    await served.says(/^http:\/\/127\.0\.0\.1:\d+\n/);
    const [url] = served.stdout.split("\n");
    const get = (token: string) =>
      fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect((await get("guessed")).status).toBe(401);
    expect((await get("not-to-be-guessed")).status).toBe(200);
    expect(await statusOf(user)).toMatchObject({ kind: "foreground", url });
    const second = await halyard(user, ["serve", "--port", "0"]);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toMatch(/is already running for this home.*halyard daemon stop/s);
    served.process.kill("SIGINT");
    expect((await served.finished).exitCode).toBe(0);
    const log = await readFile(join(user.home, "daemon.log"), "utf8");
    expect(log).not.toContain("not-to-be-guessed");
  });

  test("generates a token, and without --expose rejects an address that other machines can reach", async () => {
    const user = await newDaemonUser();
    const refused = await halyard(user, ["serve", "--port", "0", "--host", "0.0.0.0"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/expose/);
    const served = new StartedCli(user, [process.execPath, program, "serve", "--port", "0"]);
    await served.says(/\n/);
    const token = (await readFile(join(user.home, "token"), "utf8")).trim();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${served.stdout.trim()}/v1/health`, { headers });
    expect(answer.status).toBe(200);
    await halyard(user, ["daemon", "stop"]);
    expect((await served.finished).exitCode).toBe(0);
  });
});
