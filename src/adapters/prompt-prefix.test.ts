import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { withScreens } from "../adapter-kit/screens.ts";
import type { Adapter } from "../contracts/adapter.ts";
import { createTmuxHost } from "../hosts/tmux/index.ts";
import type { RuntimeEntry } from "../schema/runtimes/runtime-entry.ts";
import { Limits } from "../schema/session/start-request.ts";
import { Conversation } from "../testing/adapter-suite/conversation.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { sampleRequest } from "../testing/sample-request.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { withEntry } from "./registry-entry.ts";

/** Opens a registered runtime whose screen shows the text that the test writes. The agent itself is ready at once. */
async function openScreen(entry: RuntimeEntry, readyMs: number) {
  const directory = await temporaryDirectory();
  const door = join(directory, "door");
  const server = createServer();
  server.listen(door);
  onTestFinished(() => void server.close());
  const inside = once(server, "connection");
  const program = `require("net").connect(${JSON.stringify(door)}).pipe(process.stdout)`;
  const fake = fakeAdapter();
  let isUp: Promise<unknown> | undefined;
  const onScreen: Adapter = {
    ...fake,
    async connect(request) {
      const command = { file: process.execPath, args: ["-e", program], cwd: directory, env: {} };
      const terminal = await withScreens(request.host).openTerminal(command, request);
      onTestFinished(() => terminal.terminate({ graceMs: 0 }));
      const agent = await fake.connect({ ...request, runDir: join(directory, "agent") });
      isUp = agent.ready();
      return agent;
    },
  };
  const { onScreen: registered } = withEntry({ ...fake, onScreen }, entry);
  const connection = await registered?.connect(
    sampleRequest({
      cwd: directory,
      runDir: join(directory, "run"),
      stateDir: directory,
      host: createTmuxHost({ socket: join(directory, "tmux.sock"), env: process.env }),
      limits: Limits.parse({ readyMs }),
    }),
  );
  if (connection === undefined) throw new Error("no screen");
  const conversation = new Conversation(connection, () => undefined);
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  const [socket]: Socket[] = await inside;
  await isUp;
  return { connection, show: (text: string) => socket?.write(text) };
}

test("a runtime on a screen is ready when a line starts with ready_prompt_prefix", async () => {
  const entry = { ready: "prompt", ready_prompt_prefix: "❯ " } as const;
  const { connection, show } = await openScreen(entry, 60_000);
  show("Welcome ❯ to it\r\n");
  const ready = connection.ready().then(() => "ready");
  expect(await Promise.race([ready, setImmediate("waiting")])).toBe("waiting");
  show("❯\u00a0");
  expect(await ready).toBe("ready");
});

test("the start fails if no line starts with ready_prompt_prefix before the timeout", async () => {
  const { connection, show } = await openScreen({ ready_prompt_prefix: "λ" }, 1_500);
  show("❯ nothing else");
  await expect(connection.ready()).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/^No line on the screen begins with "λ"[\s\S]*❯ nothing else/),
  });
});

test("ready: warmup does not wait for a prompt", async () => {
  const entry = { ready: "warmup", ready_delay_ms: 0, ready_prompt_prefix: "λ" } as const;
  const { connection } = await openScreen(entry, 60_000);
  await connection.ready();
});
