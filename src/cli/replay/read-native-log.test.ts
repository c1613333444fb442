import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { Garbage, mapGarbageToWarnings, readNativeLog } from "./read-native-log.ts";

async function read(lines: readonly unknown[]): Promise<unknown[]> {
  const text = lines
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .join("\n");
  const messages: unknown[] = [];
  for await (const message of readNativeLog(Readable.from([Buffer.from(text)])))
    messages.push(message);
  return messages;
}

test("reads the agent's bare and wrapped messages, and skips the client's", async () => {
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
      { type: "tool", msg: "custom", dir: "src" },
    ]),
  ).toEqual([
    message,
    message,
    message,
    message,
    message,
    message,
    { type: "tool", msg: "custom", dir: "src" },
  ]);
});

test("maps a line that is not JSON to a warning, and continues", async () => {
  const [garbage, message] = await read(["Segmentation fault", { type: "x" }]);
  expect(message).toEqual({ type: "x" });
  const mapper = mapGarbageToWarnings({ map: () => [], flush: () => [] });
  expect(garbage).toBeInstanceOf(Garbage);
  expect(mapper.map(garbage)).toEqual([
    { type: "system", subtype: "warning", text: expect.stringContaining("Segmentation fault") },
  ]);
});
