import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeParrot } from "../../../test/screens/parrot.ts";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { newTurnId } from "../../errors/require-id.ts";
import { createTmuxHost } from "../../hosts/tmux/index.ts";
import type { RuntimeEntry } from "../../schema/runtimes/runtime-entry.ts";
import { Limits } from "../../schema/start-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { terminalAdapter } from "./index.ts";

async function openParrot(entry: RuntimeEntry = {}, env: Record<string, string> = {}) {
  const directory = await temporaryDirectory();
  const runDir = join(directory, "ses_parrot");
  await mkdir(runDir);
  const bin = await writeParrot(directory);
  const adapter = terminalAdapter({ name: "parrot", bin, args: [], env: process.env, entry });
  const host = createTmuxHost({ socket: join(directory, "tmux.sock"), env: process.env });
  const connect = (changes: Partial<Pick<ConnectRequest, "permissions" | "attach">> = {}) =>
    adapter.onScreen?.connect({
      cwd: directory,
      host,
      runDir,
      stateDir: directory,
      permissions: "allow-all",
      plan: false,
      env,
      options: {},
      limits: Limits.parse({ readyMs: 5_000, stopMs: 1_000 }),
      ...changes,
    });
  const open = async () => {
    const connection = await connect();
    if (connection === undefined) throw new Error("no screen");
    onTestFinished(() => connection[Symbol.asyncDispose]());
    return connection;
  };
  const screen = async () => {
    const terminal = await host.attachTerminal?.(runDir);
    const { lines } = (await terminal?.look()) ?? { lines: [] };
    await terminal?.detach();
    return lines.join("\n").trim();
  };
  return { adapter, connect, open, screen };
}

const byPrompt = { ready: "prompt", ready_prompt_prefix: ">" } as const;

async function nextTurn(output: AsyncIterable<readonly { drafts: readonly EventDraft[] }[]>) {
  for await (const batch of output) return batch.flatMap(({ drafts }) => drafts);
  throw new Error("no turn");
}

test("a program is ready when its prompt appears, and the new lines on its screen are the answer [s1.message.delivery-tmux] [s1.config.registry-ready]", async () => {
  const { open } = await openParrot(byPrompt, { DEAF_MS: "500" });
  const connection = await open();
  const { pid } = await connection.ready();
  expect(pid).toBeGreaterThan(1);
  const receipt = await connection.send({ turnId: newTurnId(), text: "hello\nparrot" });
  expect(receipt).toEqual({ status: "submitted" });
  expect(await nextTurn(connection.output)).toMatchObject([
    { type: "message", role: "assistant", channel: "text", text: "HELLO\nPARROT\nand so on" },
    { type: "completion", status: "completed" },
  ]);
});

test("a program without a prompt is ready after a delay, and messages are typed again until it reacts", async () => {
  const entry = { ready: "warmup", ready_delay_ms: 200 } as const;
  const { open, screen } = await openParrot(entry, { DEAF_TO: "2" });
  const connection = await open();
  await connection.ready();
  await expect.poll(screen, { timeout: 20_000 }).toBe("Parrot 1.0"); // no prompt: it ignores input
  await connection.send({ turnId: newTurnId(), text: "once and only once" });
  expect(await nextTurn(connection.output)).toMatchObject([
    { type: "message", text: "ONCE AND ONLY ONCE\nand so on" },
    { type: "completion" },
  ]);
});

test("a program that never reacts fails with the contents of its screen [s1.readiness.backoff]", async () => {
  const { open } = await openParrot({ ready_delay_ms: 700 }, { DEAF_MS: "60000" });
  const connection = await open();
  await connection.ready();
  await expect(connection.send({ turnId: newTurnId(), text: "hello" })).rejects.toMatchObject({
    code: "delivery_failed",
    message: expect.stringMatching(/5 attempts[\s\S]*Parrot 1\.0/),
  });
});

test("a program whose prompt never appears fails with the contents of its screen", async () => {
  const { open } = await openParrot({ ...byPrompt, ready_prompt_prefix: "λ" });
  await expect((await open()).ready()).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/"λ"[\s\S]*Parrot 1\.0/),
  });
});

test("a program that exits immediately fails with its own output", async () => {
  const { open } = await openParrot(byPrompt, { DIES: "no feathers found" });
  const connection = await open();
  await expect(connection.ready()).rejects.toMatchObject({
    code: "agent_exited",
    message: expect.stringContaining("no feathers found"),
  });
});

test.each([
  ["its last line repeats the message", "hello", "HELLO", "you said hello"],
  ["its last line looks like the prompt", "x", "X", ">"],
  [
    "it is longer than the screen",
    "y",
    "Y",
    Array.from({ length: 120 }, (_, n) => `line ${n}`).join("\n"),
  ],
  ["a line of it is longer than the screen is wide", "z", "Z", "wide ".repeat(60).trim()],
])("an answer is complete if %s", async (_, message, first, rest) => {
  const { open } = await openParrot(byPrompt, { SAYS: rest });
  const connection = await open();
  await connection.ready();
  await connection.send({ turnId: newTurnId(), text: message });
  expect(await nextTurn(connection.output)).toMatchObject([
    { type: "message", text: `${first}\n${rest}` },
    { type: "completion", status: "completed" },
  ]);
});

test("a program without bracketed paste rejects a message of several lines", async () => {
  const { open, screen } = await openParrot(byPrompt, { UNMARKED: "1" });
  const connection = await open();
  await connection.ready();
  const send = (text: string) => connection.send({ turnId: newTurnId(), text });
  await expect(send("one\ntwo")).rejects.toMatchObject({
    code: "delivery_failed",
    message: expect.stringContaining("Send the message in one line."),
  });
  expect(await screen()).toBe("Parrot 1.0\n>");
  await send("one \u001b[31mtwo\u001b[0m\n");
  expect(await nextTurn(connection.output)).toMatchObject([
    { text: "ONE TWO\nand so on" },
    { type: "completion" },
  ]);
});

test("a program on a screen has no capabilities except attach", async () => {
  const { adapter, connect, open } = await openParrot(byPrompt);
  expect(adapter.onScreen?.capabilities).toEqual(["attach"]);
  await expect(connect({ permissions: "ask" })).rejects.toMatchObject({ code: "unsupported" });
  const connection = await open();
  await expect(connection.cancel()).rejects.toMatchObject({ code: "unsupported" });
});

test("attaches to a running program, idle or during a turn", async () => {
  const { connect, open } = await openParrot(byPrompt);
  const first = await open();
  await first.ready();
  await first.detach();

  const attach = { cursor: 0, turnCursor: 0 };
  const second = await connect({ attach });
  await second?.ready();
  const turnId = newTurnId();
  await second?.send({ turnId, text: "hello" });
  await second?.detach(); // as after a crash

  const third = await connect({ attach: { ...attach, turnId } });
  onTestFinished(async () => third?.[Symbol.asyncDispose]());
  expect(third && (await nextTurn(third.output))).toMatchObject([
    { type: "message", text: "HELLO\nand so on" },
    { type: "completion", status: "completed" },
  ]);

  const fourth = await connect({ attach }); // no turn runs, so the output is not read again
  await fourth?.send({ turnId: newTurnId(), text: "again" });
  expect(fourth && (await nextTurn(fourth.output))).toMatchObject([
    { type: "message", text: "AGAIN\nand so on" },
    { type: "completion" },
  ]);
  await fourth?.detach();
});
