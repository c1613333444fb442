import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { halyard, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon, startSession } from "../../../test/daemon/scene.ts";
import { SshServer, withSsh } from "../../../test/ssh/ssh-server.ts";
import { newRepository } from "../../../test/workspace/repository.ts";
import { eventually } from "../../testing/eventually.ts";

/** Creates a user, and a second user on a machine that `ssh` reaches under the name gpu. */
async function newScene() {
  const remote = await newDaemonUser();
  const near = await newDaemonUser();
  const daemon = await startFakeDaemon(remote);
  await startFakeDaemon(near);
  const server = await SshServer.start(remote);
  const user = await server.clientOf(near, "gpu");
  onTestFinished(async () => void (await halyard(user, ["host", "remove", "gpu"])));
  return { user, remote, server, daemon };
}

const CTRL_D = "\u0004";

test("lists, controls and stops another machine's sessions by name", async () => {
  const { user, remote } = await newScene();
  const { root } = await newRepository({ "a.txt": "one\n" });
  const added = await halyard(user, ["host", "add", "gpu", "gpu"]);
  expect([added.stdout, added.stderr]).toEqual(["gpu added. It runs 0 live sessions.\n", ""]);
  await startSession(user, "say here", ["--name", "near"]);
  const far = ["--name", "far", "--on", "gpu", "-C", root];
  const id = await startSession(user, "tool write b.txt B", far);
  const sessions = await listed(user);
  expect(sessions.map(({ name, machine }) => [name, machine])).toEqual([
    ["far", "gpu"],
    ["near", undefined],
  ]);
  expect((await halyard(user, ["wait", "far", "--until", "request"])).exitCode).toBe(0);
  const [requestId = ""] = /req_\w+/.exec((await halyard(user, ["requests"])).stdout) ?? [];
  expect((await halyard(user, ["answer", requestId, "allow"])).exitCode).toBe(0);
  expect((await halyard(user, ["wait", "far"])).stdout).toBe(`${id} idle\n`);
  expect(await readFile(join(root, "b.txt"), "utf8")).toBe("B");
  expect((await halyard(user, ["diff", "far"])).stdout).toContain("b.txt");
  expect((await halyard(user, ["send", "--wait", "far", "say hello"])).stdout).toContain("hello");
  expect((await halyard(user, ["search", "hello"])).stdout).toContain("hello");
  const seen = attach(user, "far");
  await seen.says(/hello/);
  seen.process.stdin.write("say typed\r");
  await seen.says(/say typed[\s\S]*✓ completed/);
  seen.process.stdin.write(CTRL_D);
  expect((await seen.finished).exitCode).toBe(0);
  expect((await halyard(user, ["stop", "far"])).stdout).toBe(`${id} stopped\n`);
  expect((await halyard(remote, ["sessions"])).stdout).toMatch(/fake +stopped/);
  expect((await halyard(user, ["start", "--runtime", "fake", "--on", "gpu2"])).stderr).toContain(
    'No machine is named "gpu2". Machines: gpu.',
  );
});

test("lists a machine that does not respond as unreachable, and reconnects when it responds again", async () => {
  const { user, server } = await newScene();
  await halyard(user, ["host", "add", "gpu", "gpu"]);
  await startSession(user, "say here", ["--name", "near"]);
  const id = await startSession(user, "say one", ["--name", "far", "--on", "gpu"]);
  const follow = new StartedCli(user, [process.execPath, program, "events", id, "--follow"]);
  await follow.says(/one/);
  await server.stop();
  const cut = await halyard(user, ["sessions"]);
  expect([cut.exitCode, cut.stderr]).toEqual([0, ""]);
  expect(cut.stdout).toMatch(/near/);
  expect(cut.stdout).toMatch(/- +gpu +unreachable +gpu does not respond: .*refused/);
  const json = await halyard(user, ["sessions", "--format", "json"]);
  expect(json.stdout.trim().split("\n")).toHaveLength(1);
  expect(json.stderr).toMatch(/^warning: gpu does not respond/);
  const missing = await halyard(user, ["send", "far", "say lost"]);
  expect([missing.exitCode, missing.stderr]).toEqual([
    4,
    expect.stringMatching(
      /warning: gpu does not respond[\s\S]*No session has the id or name "far"/,
    ),
  ]);
  expect((await halyard(user, ["host", "list"])).stdout).toMatch(/gpu +gpu +unreachable/);
  await server.restart();
  const back = await halyard(user, ["host", "list", "--format", "json"]);
  expect(JSON.parse(back.stdout)).toEqual({
    name: "gpu",
    address: "gpu",
    state: "connected",
    sessions: 1,
  });
  expect((await halyard(user, ["send", "--wait", "far", "say two"])).stdout).toContain("two");
  await follow.says(/two/); // continues after the last event that arrived before the connection was lost
  follow.process.kill("SIGTERM");
});

test("starts the machine's daemon if none is running, and leaves no files after the machine is removed", async () => {
  const { user, remote, daemon } = await newScene();
  await halyard(user, ["host", "add", "gpu", "gpu"]);
  expect((await readdir(join(user.home, "ssh"))).length).toBeGreaterThan(0);
  await daemon.end("SIGTERM");
  expect((await halyard(user, ["host", "list"])).stdout).toMatch(/gpu +gpu +connected +0/);
  expect((await halyard(remote, ["daemon", "status"])).exitCode).toBe(0);
  const removed = await halyard(user, ["host", "remove", "gpu"]);
  expect(removed.stdout).toBe("gpu removed. Its sessions continue.\n");
  await eventually(async () => expect(await readdir(join(user.home, "ssh"))).toEqual([]));
  expect((await halyard(user, ["host", "list"])).stderr).toMatch(/^No machines\./);
  expect((await halyard(user, ["host", "remove", "gpu"])).stderr).toContain(
    'No machine is named "gpu"',
  );
  await halyard(remote, ["daemon", "stop"]);
});

test("does not add a machine if its address is invalid, or if no daemon can be reached on it over ssh", async () => {
  const { user } = await newScene();
  const add = async (who: User, ...options: string[]) => {
    const { exitCode, stderr } = await halyard(who, ["host", "add", "gpu", "gpu", ...options]);
    expect(exitCode).not.toBe(0);
    return stderr;
  };
  expect(await add(user, "--command", "nowhere/halyard")).toContain(
    'the command "nowhere/halyard" was not found on the machine. Install it with "ssh gpu npm install -g halyard"',
  );
  expect(
    await add(await withSsh(user, "echo 'Permission denied (publickey).' >&2; exit 255")),
  ).toContain("Permission denied (publickey). ssh must sign in");
  expect(await add(await withSsh(user, "echo garbage; exit 0"))).toContain(
    "did not print the path of a socket",
  );
  const lying = `case "$*" in *forward*) ;; *) echo '{"socketPath":"/nowhere.sock"}';; esac`;
  expect(await add(await withSsh(user, lying))).toContain(
    "its daemon does not respond at /nowhere.sock",
  );
  expect(await add(await withSsh(user, "kill -TERM $$"))).toContain("ssh failed without a message");
  const { stdout } = await halyard(user, ["host", "list", "--format", "json"]);
  expect(stdout).toBe(""); // no machine was added
  for (const address of ["-oProxyCommand=id", "a b", "$(id)"])
    expect((await halyard(user, ["host", "add", "--", "gpu", address])).stderr).toMatch(
      /address .* is invalid/,
    );
});

async function listed(user: User): Promise<{ name?: string; machine?: string }[]> {
  const { stdout } = await halyard(user, ["sessions", "--format", "json"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Runs "halyard attach" on a pseudo-terminal that `script` creates. */
function attach(user: User, name: string): StartedCli {
  const command = [process.execPath, program, "attach", name].map((word) => `'${word}'`).join(" ");
  const env = { ...user.env, TERM: "xterm" };
  const args = ["-q", "-e", "-f", "-c", command, "/dev/null"];
  return new StartedCli({ ...user, env }, ["script", ...args]);
}
