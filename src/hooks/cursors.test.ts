import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createHalyard } from "../create-halyard.ts";
import { newSessionId } from "../errors/require-id.ts";
import type { HookSettings } from "../schema/hook.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { HookCursors } from "./cursors.ts";

/**
 * A program that runs a turn. After the start, each read of its configuration hangs, so that no payload reaches the
 * outbox. Prints the id of the session when the turn is in the log.
 */
const program = `
  const [dist, home, hook, ending] = process.argv.slice(1);
  const { createHalyard } = await import(dist + "/index.js");
  const { fakeAdapter } = await import(dist + "/testing/fake/index.js");
  let isReadable = true;
  const config = {
    read: () => (isReadable ? Promise.resolve({}) : new Promise(() => {})),
    registry: async () => ({ runtimes: {} }),
  };
  const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], hooks: [JSON.parse(hook)], config });
  const session = await halyard.start({ runtime: "fake", cwd: home });
  isReadable = false;
  await session.send("say one").outcome;
  if (ending === "stopped") await session.stop("done");
  console.log(session.id);
  setInterval(() => {}, 1000);
`;

test.each(["running", "stopped"])(
  "delivers the events of a %s session whose process was killed between the commit and the outbox write",
  async (ending) => {
    const received: string[] = [];
    const server = createServer(async (request, response) => {
      const { event, data } = JSON.parse(await text(request));
      received.push(`${event} ${data.status ?? data.state ?? ""}`.trim());
      response.writeHead(204).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const hook: HookSettings = {
      url: `http://127.0.0.1:${port}/`,
      events: ["OnTurnEnd", "SessionStop"],
    };
    const home = await temporaryDirectory();
    const dist = new URL("../../dist", import.meta.url).href;
    const args = [
      "--input-type=module",
      "--eval",
      program,
      dist,
      home,
      JSON.stringify(hook),
      ending,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(received).toEqual([]);
    const adapters = [fakeAdapter()];
    await using _later = await createHalyard({
      home,
      env: {},
      adapters,
      hooks: [hook],
      upkeep: true,
    });
    const expected = [
      "OnTurnEnd completed",
      ...(ending === "stopped" ? ["SessionStop stopped"] : []),
    ];
    await eventually(() => expect(received.slice(0, expected.length)).toEqual(expected));
    await eventually(async () => expect(await readdir(join(home, "hooks"))).toEqual([]));
  },
);

test("claims a dead process's cursor at its lower position, and does not remove another process's cursor", async () => {
  const directory = await temporaryDirectory();
  const id = newSessionId();
  const isAlive = async (owner: string) => owner !== "dead";
  const dead = new HookCursors(directory, { owner: "dead", isAlive });
  const own = new HookCursors(directory, { owner: "own", isAlive });
  expect(dead.open(id, 3)).toBe(3);
  dead.advance(id, 5);
  expect(await own.abandoned()).toEqual([{ sessionId: id, seq: 5, owner: "dead" }]);
  expect(own.open(id, 9)).toBe(5);
  expect(await own.abandoned()).toEqual([]);
  dead.close(id);
  expect(own.open(id, 9)).toBe(5);
  own.close(id);
  expect(await readdir(directory)).toEqual([]);
});
