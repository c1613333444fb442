import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { ServerFiles } from "./server-files.ts";
import { Servers } from "./servers.ts";

/** A server in name, on a disk where it takes a session's claim as long to go as its name is long. */
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
      async unclaim(session: string) {
        await sleep(session.length * 5);
        await files.unclaim(session);
      },
    },
    stop: async () => void ends.push("stopped"),
    letGo: async () => void ends.push("let go"),
  };
}

type TestServer = Awaited<ReturnType<typeof createServer>>;

async function hireAll(sessions: readonly string[]) {
  const server = await createServer();
  const servers = new Servers<TestServer>();
  const start = async () => server;
  const leases = sessions.map((session) => servers.hire("key", session, start));
  return { server, servers, leases: await Promise.all(leases) };
}

test.each([
  ["a", "a-long-name"],
  ["a-long-name", "a"],
])(
  "the server ends once with those who leave it at the same time (%s, %s)",
  async (...sessions) => {
    const { server, leases } = await hireAll(sessions);
    await Promise.all(leases.map((lease) => lease.release(0)));
    await Promise.all(leases.map((lease) => lease.release(0)));
    expect(server.ends).toEqual(["stopped"]);
  },
);

test("whoever is let go keeps the server running, and so does a claim of somebody else's", async () => {
  const { server, leases } = await hireAll(["one", "two"]);
  const [one, two] = leases;
  await one?.letGo();
  await two?.release(0);
  expect(server.ends).toEqual(["let go"]);
  expect(await server.files.claims()).toEqual(["one"]);
});

test("a server that nobody can take hold of is ended", async () => {
  const server = await createServer();
  const claim = async () => Promise.reject(new Error("the disk is full"));
  const broken = { ...server, files: { ...server.files, claim } };
  const servers = new Servers<TestServer>();
  await expect(servers.hire("key", "one", async () => broken)).rejects.toThrow("disk is full");
  expect(server.ends).toEqual(["stopped"]);
});
