import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import {
  connectTo,
  newDaemonUser,
  startFakeDaemon,
  startSession,
} from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { daemonHome } from "../daemon/daemon-home.ts";

/**
 * Opens a link as the page does, with the secret in its address. Returns the cookie, or undefined if the link is
 * rejected.
 */
async function openLink({ origin, hash }: URL): Promise<string | undefined> {
  const secret = new URLSearchParams(hash.slice(1)).get("share");
  const init = { method: "POST", headers: { origin }, body: JSON.stringify({ secret }) };
  const response = await fetch(new URL("/v1/shares/open", origin), init);
  return response.headers.get("set-cookie")?.split(";", 1)[0];
}

test("creates a link to one session, lists it, and revokes it", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const id = await startSession(user, "say hello");
  const shared = await runWarm(user, ["share", id, "--for", "2h"]);
  expect(shared).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Valid until ") });
  const link = new URL(shared.stdout.trim());
  expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#share=[\w-]{43}$/);
  const headers = { cookie: (await openLink(link)) ?? "" };
  const read = async (path: string) =>
    (await fetch(new URL(path, link.origin), { headers })).status;
  expect(await read(`/v1/sessions/${id}`)).toBe(200);
  expect(await read("/v1/sessions")).toBe(401);
  expect((await runWarm(user, ["share"])).stdout).toMatch(
    new RegExp(`^${id} +until \\S+ +this machine\\n$`),
  );
  expect((await runWarm(user, ["share", id, "--revoke"])).stderr).toBe(
    `All links to ${id} are revoked.\n`,
  );
  expect(await read(`/v1/sessions/${id}`)).toBe(401);
  expect(await openLink(link)).toBeUndefined();
  expect((await runWarm(user, ["share"])).stderr).toBe("No session is shared.\n");
});

const isolated = ["unshare", "--map-root-user", "--net"];
const [unshare = "", ...namespaces] = isolated;
const canIsolate = spawnSync(unshare, [...namespaces, "true"]).status === 0;

test.runIf(canIsolate)(
  "creates no link for other machines if this machine has no network address",
  async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user, { by: isolated });
    const id = await startSession(user, "say hello");
    expect(await runWarm(user, ["share", id, "--expose"])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining(
        "This machine has no address that other machines can reach. Connect it to a network, or omit --expose.",
      ),
    });
    expect((await runWarm(user, ["share"])).stderr).toBe("No session is shared.\n");
    await expect(readFile(daemonPaths(user.home).sharePort)).rejects.toThrow("ENOENT"); // no port was opened
  },
);

test("creates the link in the daemon that serves the cluster if the environment names a cluster", async () => {
  const user = await newDaemonUser({ HALYARD_CLUSTER: "nats://127.0.0.1:9" });
  const served = { ...user, home: daemonHome(user.env) };
  await serveFakeDaemon(served);
  const halyard = await connectTo(served);
  const { id } = await halyard.start({ runtime: "fake", cwd: user.cwd });
  const { stdout, stderr } = await runWarm(user, ["share", id]);
  expect(stderr).toContain(`Run "halyard share ${id} --revoke"`);
  expect(await openLink(new URL(stdout.trim()))).toBeDefined();
});

test("rejects a lifetime that is malformed or too long, and a session that does not exist", async () => {
  const user = await newDaemonUser();
  for (const time of ["2", "0h", "31d", "1w"])
    expect((await runWarm(user, ["share", "api", "--for", time])).stderr).toContain(
      "30m, 12h or 7d",
    );
  await serveFakeDaemon(user);
  expect((await runWarm(user, ["share", "api"])).stderr).toContain("halyard sessions");
});
