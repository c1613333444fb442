import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createHalyard } from "../create-halyard.ts";
import { HookPayload, type HookSettings, UrlHook } from "../schema/hook.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { samplePayload } from "../testing/sample-payload.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { HookOutbox } from "./outbox.ts";
import { SinkQueue } from "./sinks/sink-queue.ts";
import { urlSink } from "./sinks/url-sink.ts";

interface Receiver {
  readonly url: string;
  /** The accepted payloads, each with its delivery id. */
  readonly accepted: { id: unknown; payload: HookPayload }[];
  /** The number of rejected requests. */
  refused: number;
  isUp: boolean;
}

async function listen(): Promise<Receiver> {
  const receiver = { url: "", accepted: [], refused: 0, isUp: false } as Receiver & { url: string };
  const server: Server = createServer(async (request, response) => {
    const payload = HookPayload.parse(JSON.parse(await text(request)));
    if (receiver.isUp) receiver.accepted.push({ id: request.headers["webhook-id"], payload });
    else receiver.refused++;
    response.writeHead(receiver.isUp ? 204 : 503).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  receiver.url = `http://127.0.0.1:${address.port}/`;
  return receiver;
}

const hookOf = (url: string): HookSettings => ({ url, events: ["OnTurnEnd"], secret: "sesame" });

test("delivers a killed process's payloads once the receiver responds", async () => {
  const receiver = await listen();
  const home = await temporaryDirectory();
  const program = `
    const [dist, home, hook] = process.argv.slice(1);
    const { createHalyard } = await import(dist + "/index.js");
    const { fakeAdapter } = await import(dist + "/testing/fake/index.js");
    const options = { home, env: {}, adapters: [fakeAdapter()], hooks: [JSON.parse(hook)] };
    const halyard = await createHalyard(options);
    const session = await halyard.start({ runtime: "fake", cwd: home, name: "api" });
    await session.send("say one").outcome;
    await session.send("say two").outcome;
    console.log(session.id);
    setInterval(() => {}, 1000);
  `;
  const dist = new URL("../../dist", import.meta.url).href;
  const hook = JSON.stringify(hookOf(receiver.url));
  const args = ["--input-type=module", "--eval", program, dist, home, hook];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [id] = await once(child.stdout, "data");
  await eventually(() => expect(receiver.refused).toBeGreaterThan(0));
  child.kill("SIGKILL");
  await once(child, "exit");
  const files = await readdir(join(home, "hooks"));
  expect(files.filter((file) => file.endsWith(".json"))).toHaveLength(2);
  expect(files.filter((file) => !file.endsWith(".json"))).toEqual([`${String(id).trim()}.cursor`]);
  for (const file of files)
    expect(await readFile(join(home, "hooks", file), "utf8")).not.toContain("sesame");

  receiver.isUp = true;
  await writeFile(join(home, "hooks", "damaged.json"), "{");
  const hooks = [hookOf(receiver.url)];
  const options = { home, env: {}, adapters: [fakeAdapter()], hooks, upkeep: true };
  await using _daemon = await createHalyard(options);
  await eventually(() => expect(receiver.accepted).toHaveLength(2));
  expect(receiver.accepted.map(({ payload }) => payload.data.message)).toEqual(["one", "two"]);
  expect(receiver.accepted.map(({ id }) => String(id).split(":").slice(0, 2))).toEqual([
    [String(id).trim(), "OnTurnEnd"],
    [String(id).trim(), "OnTurnEnd"],
  ]);
  await eventually(async () => expect(await readdir(join(home, "hooks"))).toEqual([]));
});

test("retries later if the receiver is down, and drops the payloads of removed hooks", async () => {
  const receiver = await listen();
  const home = await temporaryDirectory();
  const hook = { ...hookOf(receiver.url), attempts: 1 };
  const problems: string[] = [];
  const open = (hooks: HookSettings[], upkeep: boolean) =>
    createHalyard({
      home,
      env: {},
      adapters: [fakeAdapter()],
      hooks,
      upkeep,
      onHookProblem: (problem) => problems.push(problem),
    });
  const first = await open([hook, { ...hook, url: `${receiver.url}other` }], false);
  const session = await first.start({ runtime: "fake", cwd: home });
  await session.send("say one").outcome;
  await first[Symbol.asyncDispose]();
  expect(receiver.refused).toBe(2);
  expect(problems.sort()).toEqual(
    [receiver.url.slice(0, -1), `${receiver.url}…`].map(
      (name) =>
        `Hook ${name} did not receive OnTurnEnd of ${session.id}: the server responded with status 503 (attempts: 1). The daemon tries again`,
    ),
  );
  receiver.isUp = true;
  await using _second = await open([hook], true);
  await eventually(async () => expect(await readdir(join(home, "hooks"))).toEqual([]));
  expect(receiver.accepted.map(({ payload }) => payload.data.message)).toEqual(["one"]);
});

test("removes payloads that the receiver rejects, and reports payloads older than a day as expired", async () => {
  const directory = join(await temporaryDirectory(), "hooks");
  const outbox = new HookOutbox(directory, {
    owner: "me",
    isAlive: async (owner) => owner === "me",
    now: () => new Date("2026-01-02T00:00:00.001Z"),
  });
  const problems: string[] = [];
  const sink = { id: "s", name: "strict", deliver: async () => Promise.reject(new Error("no")) };
  const queue = new SinkQueue(sink, { outbox, onProblem: (problem) => problems.push(problem) });
  const sessionId = "ses_0000000000000001";
  const late = { sink: "s", sessionId, payload: samplePayload() } as const;
  const timestamp = "2026-01-01T00:00:01.000Z";
  const fresh = { ...late, payload: samplePayload({ timestamp, data: { seq: 2 } }) };
  queue.add(fresh.payload, sessionId);
  await queue.drain(new AbortController().signal);
  expect(problems).toEqual([`Hook strict did not receive SessionStart of ${sessionId}: no`]);
  expect(await readdir(directory)).toEqual([]);
  for (const delivery of [fresh, late]) outbox.keep(delivery);
  expect(await outbox.abandoned()).toEqual([]);
  for (const delivery of [fresh, late]) outbox.abandon(delivery);
  expect(await outbox.abandoned()).toEqual([late, fresh]);
  expect([outbox.isExpired(late), outbox.isExpired(fresh)]).toEqual([true, false]);
});

test("stores and identifies the payloads of two sessions separately if their payloads have the same session id", async () => {
  const receiver = await listen();
  const outbox = new HookOutbox(join(await temporaryDirectory(), "hooks"), {
    owner: "me",
    isAlive: async () => true,
    now: () => new Date(),
  });
  const hook = UrlHook.parse({ url: receiver.url, attempts: 1 });
  const sink = { ...urlSink(hook, { now: () => new Date() }), id: "s" };
  const queue = new SinkQueue(sink, { outbox, onProblem: () => {} });
  const payload = samplePayload({ session_id: "shared" });
  const sessionIds = ["ses_0000000000000001", "ses_0000000000000002"] as const;
  for (const sessionId of sessionIds) queue.add(payload, sessionId);
  await queue.drain(new AbortController().signal);
  const stored = (await outbox.abandoned()).map(({ sessionId }) => sessionId);
  expect(stored.sort()).toEqual(sessionIds);
  receiver.isUp = true;
  for (const sessionId of sessionIds) queue.add(payload, sessionId);
  await queue.drain(new AbortController().signal);
  expect(receiver.accepted).toEqual(
    sessionIds.map((sessionId) => ({ id: `${sessionId}:SessionStart:1`, payload })),
  );
  expect(await outbox.abandoned()).toEqual([]);
});
