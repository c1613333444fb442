import { expect, onTestFinished, test } from "vitest";
import { byPrompt, openParrot } from "../../../test/screens/open-parrot.ts";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { newTurnId } from "../../errors/require-id.ts";

async function nextTurn(output: AsyncIterable<readonly { drafts: readonly EventDraft[] }[]>) {
  for await (const batch of output) return batch.flatMap(({ drafts }) => drafts);
  throw new Error("no turn");
}

test("a program is ready when its prompt appears, and the new lines on its screen are the reply [s1.message.delivery-tmux] [s1.config.registry-ready]", async () => {
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

test("a program without a prompt is ready after a delay, and a message is typed again until the program reacts", async () => {
  const entry = { ready: "warmup", ready_delay_ms: 200 } as const;
  const { open, screen } = await openParrot(entry, { DEAF_TO: "2" });
  const connection = await open();
  await connection.ready();
  // no prompt is shown yet, so the program ignores input
  await expect.poll(screen, { timeout: 20_000 }).toBe("Parrot 1.0");
  await connection.send({ turnId: newTurnId(), text: "once and only once" });
  expect(await nextTurn(connection.output)).toMatchObject([
    { type: "message", text: "ONCE AND ONLY ONCE\nand so on" },
    { type: "completion" },
  ]);
});

test("ready() rejects with the program's output if the program exits immediately", async () => {
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
])("the whole reply is read if %s", async (_, message, first, rest) => {
  const { open } = await openParrot(byPrompt, { SAYS: rest });
  const connection = await open();
  await connection.ready();
  await connection.send({ turnId: newTurnId(), text: message });
  expect(await nextTurn(connection.output)).toMatchObject([
    { type: "message", text: `${first}\n${rest}` },
    { type: "completion", status: "completed" },
  ]);
});

test("a multi-line message is rejected if the program has not enabled bracketed paste", async () => {
  const { open, screen } = await openParrot(byPrompt, { UNMARKED: "1" });
  const connection = await open();
  await connection.ready();
  const send = (text: string) => connection.send({ turnId: newTurnId(), text });
  await expect(send("one\ntwo")).rejects.toMatchObject({
    code: "delivery_failed",
    message: expect.stringContaining("Send the message on one line."),
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

test("attaches to a running program that is idle or in the middle of a turn", async () => {
  const { connect, open } = await openParrot(byPrompt);
  const first = await open();
  await first.ready();
  await first.detach();

  const attach = { cursor: 0, turnCursor: 0 };
  const second = await connect({ attach });
  await second?.ready();
  const turnId = newTurnId();
  await second?.send({ turnId, text: "hello" });
  await second?.detach(); // leaves the same state as a crash

  const third = await connect({ attach: { ...attach, turnId } });
  onTestFinished(async () => third?.[Symbol.asyncDispose]());
  expect(third && (await nextTurn(third.output))).toMatchObject([
    { type: "message", text: "HELLO\nand so on" },
    { type: "completion", status: "completed" },
  ]);

  const fourth = await connect({ attach }); // no turn is running, so the output is not read again
  await fourth?.send({ turnId: newTurnId(), text: "again" });
  expect(fourth && (await nextTurn(fourth.output))).toMatchObject([
    { type: "message", text: "AGAIN\nand so on" },
    { type: "completion" },
  ]);
  await fourth?.detach();
});
