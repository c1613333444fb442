import { mkdir } from "node:fs/promises";
import { connect, createServer as createProxy, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { newTurnId } from "../errors/require-id.ts";
import { createServer, type ListeningServer } from "../server/index.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { collect, startFake, until, untilReply } from "../testing/halyard/fixture.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { type ConnectOptions, connectHalyard } from "./index.ts";

/** Creates a Halyard instance with a server that can be stopped and restarted, and a client of that server. */
async function open(options: ConnectOptions = {}) {
  const directory = await temporaryDirectory();
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const served = await createHalyard({
    home: join(directory, "home"),
    env: {},
    adapters: [fakeAdapter()],
  });
  const socketPath = join(directory, "halyard.sock");
  let listener: ListeningServer | undefined;
  const come = async () => {
    listener = await createServer(served).listen({ socketPath });
  };
  const go = async () => listener?.close();
  await come();
  const halyard = await connectHalyard({ socketPath }, options);
  return {
    halyard,
    served,
    cwd,
    come,
    go,
    socketPath,
    again: async (): Promise<Halyard> => halyard,
    async [Symbol.asyncDispose]() {
      await halyard[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
      await go();
    },
  };
}

test("reads all of a turn's events if the server restarts during the turn", async () => {
  await using room = await open();
  const session = await startFake(room);
  const turn = session.send("stream 500; wait; stream 500");
  const reading = collect(turn);
  await untilReply(turn);
  await room.go();
  const held = await room.served.session(session.id);
  held.send("say steered", { delivery: "steer" });
  await held.send("", { id: turn.id }).outcome;
  await room.come();
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "steered" });
  const events = await reading;
  const log = await collect(room.served.events(session.id, { follow: false }));
  expect(events).toEqual(log.filter(({ turnId }) => turnId === turn.id));
  // the checkpoint of the turn may be recorded after the completion
  await eventually(async () => expect(session.info).toEqual(await room.served.find(session.id)));
});

test("reads all of a turn's events if the network drops the connection without closing it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await using room = await open();
  const network = await openNetwork(room.socketPath);
  await using halyard = await connectHalyard({ socketPath: network.socketPath });
  const session = await startFake({ ...room, halyard });
  const turn = session.send("stream 5; wait; stream 5");
  const reading = collect(turn);
  await untilReply(turn);
  network.freeze();
  const held = await room.served.session(session.id);
  held.send("say steered", { delivery: "steer" });
  await held.send("", { id: turn.id }).outcome;
  vi.advanceTimersByTime(45_000);
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "steered" });
  const log = await collect(room.served.events(session.id, { follow: false }));
  expect(await reading).toEqual(log.filter(({ turnId }) => turnId === turn.id));
});

/** Forwards connections to a socket. `freeze` stops the forwarding of open connections without closing them. */
async function openNetwork(target: string) {
  const socketPath = join(await temporaryDirectory(), "network.sock");
  const open = new Set<Socket>();
  const proxy = createProxy((near) => {
    const far = connect(target);
    for (const socket of [near, far]) {
      open.add(socket.on("error", () => {}));
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(socketPath, resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return {
    socketPath,
    freeze() {
      for (const socket of open) socket.unpipe().pause();
    },
  };
}

test("delivers a message once if it is sent while the server is down", async () => {
  await using room = await open();
  const session = await startFake(room);
  await room.go();
  const turn = session.send("say hello");
  await room.come();
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "hello" });
  const log = await collect(room.served.events(session.id, { follow: false }));
  expect(log.filter(({ type }) => type === "completion")).toHaveLength(1);
});

test("fails open turns and calls if the server does not restart within the retry limit", async () => {
  await using room = await open({ reconnectMs: 100 });
  const session = await startFake(room);
  const turn = session.send("wait");
  await until(turn, "system");
  await room.go();
  const lost = { status: "failed", error: { code: "unreachable" } };
  expect(await turn.outcome).toMatchObject(lost);
  expect(await session.send("say hello").outcome).toMatchObject(lost);
  await expect(collect(session.events())).rejects.toMatchObject({ code: "unreachable" });
  await expect(room.halyard.sessions()).rejects.toMatchObject({ code: "unreachable" });
  await room.come();
  expect(await room.halyard.find(session.id)).toMatchObject({ state: "running" });
});

test("starts one turn if a message that never arrived is sent again with its id", async () => {
  await using room = await open({ reconnectMs: 50 });
  const session = await startFake(room);
  await room.go();
  const id = newTurnId();
  const lost = session.send("say hello", { id });
  expect(await lost.outcome).toMatchObject({ error: { code: "unreachable" } });
  await room.come();
  expect(await session.send("say hello", { id }).outcome).toMatchObject({ text: "hello" });
  const again = await room.halyard.session(session.id);
  const turn = again.send("say hello", { id });
  expect(await turn.outcome).toMatchObject({ text: "hello" });
  expect((await collect(turn)).at(-1)).toMatchObject({ type: "completion", turnId: id });
  expect(again.info.turns).toBe(1);
});

test("leaves sessions running when a client is disposed", async () => {
  await using room = await open();
  const session = await startFake(room);
  const turn = session.send("wait");
  await until(turn, "system");
  await room.halyard[Symbol.asyncDispose]();
  expect(await turn.outcome).toMatchObject({ error: { code: "unreachable" } });
  expect(await room.served.find(session.id)).toMatchObject({ state: "running" });
  await expect(room.halyard.sessions()).rejects.toMatchObject({ code: "invalid_input" });
});

test("finds a running session and steers its turn, and rejects a stopped session", async () => {
  await using room = await open();
  const session = await startFake(room);
  const turn = session.send("wait");
  await until(turn, "system");
  const found = await room.halyard.session(session.id);
  expect(found.info).toMatchObject({ id: session.id, state: "running", turn: { id: turn.id } });
  const steering = found.send("say steered", { delivery: "steer" });
  expect(steering.id).toBe(turn.id);
  expect(await steering.outcome).toMatchObject({ text: "steered" });
  await found.stop();
  const stopped = room.halyard.session(session.id);
  await expect(stopped).rejects.toMatchObject({ code: "session_stopped" });
});

test("resolves a relative directory against the client's working directory", async () => {
  await using room = await open();
  const session = await room.halyard.start({ runtime: "fake", cwd: "." });
  expect(session.info.cwd).toBe(process.cwd());
});

test("emits no warning if many readers follow events at the same time", async () => {
  await using room = await open();
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const session = await startFake(room);
  const readers = Array.from({ length: 15 }, async () => {
    for await (const { type } of room.halyard.events(session.id)) if (type === "completion") return;
  });
  await session.send("say hello").outcome;
  await Promise.all(readers);
  expect(warnings).toEqual([]);
});
