import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { halyard, type User } from "../../../test/cli/start-cli.ts";
import {
  connectTo,
  newDaemonUser,
  startFakeDaemon,
  startSession,
} from "../../../test/daemon/scene.ts";
import { SshServer } from "../../../test/ssh/ssh-server.ts";
import { socketFetch } from "../../client/socket-fetch.ts";
import { findDaemon, type RunningDaemon } from "../../daemon/find.ts";
import { createSignInCode } from "../../daemon/sign-in.ts";

test("lists each session once, on the page and over MCP, if two machines are hosts of each other", async () => {
  const { near, far } = await newMachines();
  const own = await startSession(near, "say here", []);
  const remote = await startSession(far, "say there", []);
  const both = [
    [remote, "far"],
    [own, undefined],
  ];
  const page = await openPage(await daemonOf(near));
  const listed = async () => machinesOf(await page.get("/v1/sessions"));
  expect(await listed()).toEqual(both);
  const { position } = await page.get("/v1/events/last");
  const events = await page.get(`/v1/sessions/${remote}/events?follow=false`);
  expect(JSON.stringify(events)).toContain("there");
  const tools = await openMcp(await daemonOf(near));
  expect(machinesOf(await tools("session_list"))).toEqual(both);
  // A client of the socket joins the hosts itself, as the command line does.
  expect(machinesOf({ sessions: await (await connectTo(near)).sessions() })).toEqual([
    [own, undefined],
  ]);
  await halyard(near, ["send", "--wait", remote, "say news"]);
  const news = await page.get(`/v1/events?follow=false&after=${position}`);
  expect(JSON.stringify(news)).toContain("news");
  await halyard(near, ["host", "remove", "far"]);
  expect(await listed()).toEqual([[own, undefined]]);
});

test("session_list of MCP over HTTP lists a host that does not respond", async () => {
  const { near, server } = await newMachines();
  const own = await startSession(near, "say here", []);
  const tools = await openMcp(await daemonOf(near));
  await tools("session_list");
  await server.stop();
  expect(await tools("session_list")).toMatchObject({
    sessions: [{ id: own }],
    unreachable: [{ machine: "far", reason: expect.stringContaining("does not respond") }],
  });
});

/** Creates two users on machines that reach each other over `ssh`, as the hosts near and far. */
async function newMachines(): Promise<{ near: User; far: User; server: SshServer }> {
  const users = [await newDaemonUser(), await newDaemonUser()] as const;
  const servers = [await SshServer.start(users[0]), await SshServer.start(users[1])] as const;
  const near = await servers[1].clientOf(users[0], "far");
  const far = await servers[0].clientOf(users[1], "near");
  for (const user of [near, far]) await startFakeDaemon(user);
  for (const [user, host] of [
    [near, "far"],
    [far, "near"],
  ] as const) {
    onTestFinished(async () => void (await halyard(user, ["host", "remove", host])));
    expect((await halyard(user, ["host", "add", host, host])).stderr).toBe("");
  }
  return { near, far, server: servers[1] };
}

async function daemonOf({ home }: User): Promise<RunningDaemon> {
  const daemon = await findDaemon(home);
  if (!daemon) throw new Error("no daemon responds");
  return daemon;
}

interface Reply {
  readonly sessions?: unknown;
  readonly position?: number;
}

/** Signs in as a browser does, and returns a `get` function that requests JSON from the page's server. */
async function openPage(daemon: RunningDaemon) {
  const { code, url = "" } = await createSignInCode(daemon);
  const origin = new URL(url).origin;
  const signedIn = await fetch(new URL("/v1/sign-in", url), {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const [cookie = ""] = signedIn.headers.get("set-cookie")?.split(";") ?? [];
  const get = async (path: string): Promise<Reply> =>
    (await fetch(new URL(path, url), { headers: { cookie } })).json() as Promise<Reply>;
  return { get };
}

/** Connects to a daemon's `/mcp`, and returns a function that calls a tool and returns its structured result. */
async function openMcp({ socketPath }: RunningDaemon) {
  const client = new Client({ name: "test", version: "0" });
  const options = { fetch: socketFetch(socketPath) };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), options));
  onTestFinished(() => client.close());
  return async (name: string) =>
    (await client.callTool({ name, arguments: {} })).structuredContent ?? {};
}

/** Returns the id and the machine of each listed session. */
function machinesOf(list: Reply): unknown[] {
  const sessions = Array.isArray(list.sessions) ? list.sessions : [];
  return sessions.map(({ id, machine }) => [id, machine]);
}
