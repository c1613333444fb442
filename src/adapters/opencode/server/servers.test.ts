import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createDeferred } from "../../../async/deferred.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { ServerFiles } from "./server-files.ts";
import { Servers } from "./servers.ts";

/** Creates a fake server. The longer a session's name, the longer the removal of its claim takes. */
async function createServer() {
  const files = new ServerFiles(await temporaryDirectory());
  await files.create("key");
  const ends: string[] = [];
  return {
    ends,
    gone: new Promise<never>(() => {}),
    files: {
      claim: (session: string) => files.claim(session),
      claims: () => files.claims(),
      retire: () => files.retire(),
      async unclaim(session: string) {
        await sleep(session.length * 5);
        await files.unclaim(session);
      },
    },
    stop: async () => void ends.push("stopped"),
    detach: async () => void ends.push("detached"),
  };
}

type TestServer = Awaited<ReturnType<typeof createServer>>;

async function hireAll(sessions: readonly string[]) {
  const server = await createServer();
  const servers = new Servers<TestServer>();
  const start = async () => server;
  const leases = sessions.map((session) => servers.lease("key", session, start));
  return { server, servers, leases: await Promise.all(leases) };
}

test.each([
  ["a", "a-long-name"],
  ["a-long-name", "a"],
])(
  "stops the server once if sessions are released at the same time (%s, %s)",
  async (...sessions) => {
    const { server, leases } = await hireAll(sessions);
    await Promise.all(leases.map((lease) => lease.release(0)));
    await Promise.all(leases.map((lease) => lease.release(0)));
    expect(server.ends).toEqual(["stopped"]);
  },
);

test("keeps the server running for a detached session after the other sessions are released", async () => {
  const { server, leases } = await hireAll(["one", "two"]);
  const [one, two] = leases;
  await one?.detach();
  await two?.release(0);
  expect(server.ends).toEqual(["detached"]);
  expect(await server.files.claims()).toEqual(["one"]);
});

/** Leases a server whose start claims it for the session and whose second claim fails. */
async function leaseWithoutClaim(server: TestServer, session: string) {
  const claim = async () => Promise.reject(new Error("the disk is full"));
  const broken = { ...server, files: { ...server.files, claim } };
  await new Servers<TestServer>().lease("key", session, async () => {
    await server.files.claim(session);
    return broken;
  });
}

test("stops the server if its only session cannot claim it", async () => {
  const server = await createServer();
  await expect(leaseWithoutClaim(server, "one")).rejects.toThrow("disk is full");
  expect(server.ends).toEqual(["stopped"]);
});

test("keeps the server running for a session of another process if a session cannot claim it", async () => {
  const server = await createServer();
  await server.files.claim("other");
  await expect(leaseWithoutClaim(server, "one")).rejects.toThrow("disk is full");
  expect(server.ends).toEqual(["detached"]);
  expect(await server.files.claims()).toEqual(["other"]);
});

test("does not stop a server that another process is stopping", async () => {
  const server = await createServer();
  await server.files.retire();
  const lease = new Servers<TestServer>().lease("key", "one", async () => server);
  await expect(lease).rejects.toMatchObject({ code: "ENOENT" });
  expect(server.ends).toEqual(["detached"]);
});

test("stops the server if a session cannot claim it while the other session is released", async () => {
  const server = await createServer();
  const failed = createDeferred<Error>();
  const claim = async (session: string) =>
    session === "one" ? Promise.reject(await failed.promise) : server.files.claim(session);
  const servers = new Servers<TestServer>();
  const start = async () => ({ ...server, files: { ...server.files, claim } });
  const one = servers.lease("key", "one", start);
  const two = await servers.lease("key", "two", start);
  const released = two.release(0);
  failed.resolve(new Error("the disk is full"));
  await expect(one).rejects.toThrow("disk is full");
  await released;
  expect(server.ends).toEqual(["stopped"]);
});

test("stops a server once if two Halyard instances release it at the same time, and rejects further claims", async () => {
  const server = await createServer();
  const leases = await Promise.all(
    ["one", "two"].map((session) =>
      new Servers<TestServer>().lease("key", session, async () => server),
    ),
  );
  await Promise.all(leases.map((lease) => lease.release(0)));
  expect(server.ends.toSorted()).toEqual(["detached", "stopped"]);
  await expect(server.files.claim("three")).rejects.toMatchObject({ code: "ENOENT" });
});
