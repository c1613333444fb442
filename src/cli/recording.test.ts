import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { Garbage, readRecording, warnOfGarbage } from "./recording.ts";

async function read(lines: readonly unknown[]): Promise<unknown[]> {
  const text = lines
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .join("\n");
  const messages: unknown[] = [];
  for await (const message of readRecording(Readable.from([Buffer.from(text)])))
    messages.push(message);
  return messages;
}

test("messages come bare or wrapped, and only the agent's", async () => {
  const message = { type: "agent_start" };
  expect(
    await read([
      message,
      { ms: 1, dir: "<-", msg: message },
      { ms: 1, dir: "->", msg: { type: "prompt" } },
      { t: 0.5, dir: "server->client", msg: message },
      { t: 0.5, dir: "client->server", msg: { id: 1 } },
      { t: 0.5, dir: "exit", code: 0 },
      { ms: 2, ev: message },
      { ev: message },
      { t_ms: 3, data: message },
      { type: "tool", msg: "of its own", dir: "src" },
    ]),
  ).toEqual([
    message,
    message,
    message,
    message,
    message,
    message,
    { type: "tool", msg: "of its own", dir: "src" },
  ]);
});

test("a line that is no JSON becomes a warning, and the reading goes on", async () => {
  const [garbage, message] = await read(["Segmentation fault", { type: "x" }]);
  expect(message).toEqual({ type: "x" });
  const mapper = warnOfGarbage({ map: () => [], flush: () => [] });
  expect(garbage).toBeInstanceOf(Garbage);
  expect(mapper.map(garbage)).toEqual([
    { type: "system", subtype: "warning", text: expect.stringContaining("Segmentation fault") },
  ]);
});
