import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
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

test("stops the server if its only session cannot claim it", async () => {
  const server = await createServer();
  const claim = async () => Promise.reject(new Error("the disk is full"));
  const broken = { ...server, files: { ...server.files, claim } };
  const servers = new Servers<TestServer>();
  await expect(servers.lease("key", "one", async () => broken)).rejects.toThrow("disk is full");
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
