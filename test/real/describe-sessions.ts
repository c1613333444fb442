import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Adapter } from "../../src/contracts/adapter.ts";
import type { ModelApi } from "../../src/schema/model.ts";
import type { StartRequest } from "../../src/schema/session/start-request.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import type { ModelToolCall } from "../../src/testing/script.ts";
import { openScene, pidOf, type ScenePaths } from "./scene.ts";

/** A real program and the tool call that runs a command. */
export interface RealRuntime {
  createAdapter(paths: ScenePaths): Adapter;
  readonly api: ModelApi;
  shell(command: string): ModelToolCall;
}

/** Opens a scene with one runtime. Its `start` starts a session with the policy `allow-all`. */
export async function openSessions(
  { createAdapter, api }: Pick<RealRuntime, "createAdapter" | "api">,
  env: Readonly<Record<string, string>> = {},
) {
  let runtime = "";
  const scene = await openScene((paths) => {
    const adapter = createAdapter(paths);
    runtime = adapter.name;
    return [adapter];
  }, env);
  const { halyard, cwd } = scene;
  const model = scene.model.endpoint(api);
  const start = (more: Partial<StartRequest> = {}) =>
    halyard.start({ runtime, cwd, permissions: "allow-all", model, ...more });
  return { ...scene, runtime, endpoint: model, start };
}

/** Tests the guarantees of sessions on every real program. */
export function describeSessions(name: string, runtime: RealRuntime): void {
  describe(name, () => {
    test("fails the turn within 2 s when the program is killed, and the session can be resumed", async () => {
      const { halyard, model, endpoint, start } = await openSessions(runtime);
      model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
      model.on("which song", { text: "The one with la." });
      const session = await start();
      const turn = session.send("sing");
      for await (const event of turn) if (event.type === "delta") break;
      const killedMs = performance.now();
      process.kill(await pidOf(session), "SIGKILL");
      const outcome = await turn.outcome;
      expect(performance.now() - killedMs).toBeLessThan(2000);
      expect(outcome).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
      expect(outcome.error?.message).toContain("SIGKILL");
      await session.stop();

      const resumed = await halyard.resume(session.id, { model: endpoint });
      expect(resumed.opened).toBe("resumed");
      expect((await resumed.send("which song was it?").outcome).text).toBe("The one with la.");
      const said = model.requests.at(-1)?.messages.map(({ text }) => text);
      expect(said).toContainEqual(expect.stringContaining("sing"));
    });

    test("keeps ten concurrent sessions separate", async () => {
      const { model, cwd, start } = await openSessions(runtime);
      const numbers = Array.from({ length: 10 }, (_, n) => `number-${n}`);
      for (const number of numbers)
        model.on(
          number,
          { toolCalls: [runtime.shell(`echo ${number} > ${number}`)] },
          { text: `I am ${number}.` },
        );
      const turns = numbers.map(async (number) => {
        const session = await start();
        const events = await collect(session.send(`you are ${number}`));
        await session.stop();
        return events;
      });
      for (const [index, events] of (await Promise.all(turns)).entries()) {
        const number = numbers[index] ?? "";
        const received = JSON.stringify(events);
        expect(events.at(-1)).toMatchObject({ outcome: { text: `I am ${number}.` } });
        for (const other of numbers) expect(received.includes(other)).toBe(other === number);
        expect(await readFile(join(cwd, number), "utf8")).toBe(`${number}\n`);
      }
    });

    test("the program opens no connection through the proxy that its environment names", async () => {
      const proxy = await startProxy();
      const { url } = proxy;
      const proxies = { HTTPS_PROXY: url, HTTP_PROXY: url, ALL_PROXY: url, NO_PROXY: "127.0.0.1" };
      const { model, start } = await openSessions(runtime, proxies);
      model.on("greet", { toolCalls: [runtime.shell("sleep 1")] }, { text: "Hello." });
      const session = await start();
      expect((await session.send("greet me").outcome).text).toBe("Hello.");
      await session.stop();
      expect(proxy.calls).toBe(0);
    });
  });
}

/** Starts a proxy that counts and closes every connection. */
async function startProxy() {
  const proxy = { calls: 0, url: "" };
  const server = createServer((socket) => {
    proxy.calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  proxy.url = `http://127.0.0.1:${address.port}`;
  return proxy;
}
