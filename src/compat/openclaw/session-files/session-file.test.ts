import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { openSessionFile } from "./session-file.ts";

async function fileOf(lines: readonly unknown[], rest = ""): Promise<string> {
  const file = join(await temporaryDirectory(), "session.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join("") + rest);
  return file;
}

const at = "2026-01-01T00:00:00.000Z";

test("reads Pi and Claude Agent SDK session files into the same format [s4.session.adapter]", async () => {
  const pi = await fileOf([
    { type: "session", version: 3, id: "pi-1", timestamp: at, cwd: "/work" },
    entry("1", null, { role: "user", content: "list" }),
    { type: "model_change", id: "2", parentId: "1", timestamp: at, provider: "p", modelId: "m" },
    entry("3", "2", {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
      ],
    }),
    entry("4", "3", {
      role: "toolResult",
      toolCallId: "c1",
      content: [{ type: "text", text: "a.txt" }],
      isError: false,
    }),
  ]);
  const claude = await fileOf([
    { type: "summary", summary: "earlier" },
    node("1", null, "user", "list"),
    node("3", "1", "assistant", [
      { type: "thinking", thinking: "hm", signature: "x" },
      { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
    ]),
    node("4", "3", "user", [
      { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a.txt" }] },
    ]),
  ]);
  const adapters = await Promise.all([openSessionFile(pi), openSessionFile(claude)]);
  expect(adapters.map(({ format }) => format)).toEqual(["pi-agent", "ccsdk"]);
  const [one, two] = await Promise.all(adapters.map((adapter) => adapter.loadHistory()));
  expect(one).toEqual(two);
  expect(one).toEqual([
    { id: "1", role: "user", timestamp: at, content: [{ type: "text", text: "list" }] },
    {
      id: "3",
      role: "assistant",
      timestamp: at,
      content: [
        { type: "thinking", text: "hm" },
        { type: "tool_call", id: "c1", name: "bash", args: { command: "ls" } },
      ],
    },
    {
      id: "4",
      role: "tool_result",
      timestamp: at,
      content: [{ type: "tool_result", id: "c1", text: "a.txt", isError: false }],
    },
  ]);
  expect(await Promise.all(adapters.map((adapter) => adapter.getMetadata()))).toEqual([
    { sessionId: "pi-1", cwd: "/work" },
    { sessionId: "claude-1", cwd: "/work" },
  ]);
});

test("reads the current branch with the results of concurrent tools, and skips an incomplete line", async () => {
  const pi = await fileOf([
    { type: "session", id: "pi-1" },
    entry("1", null, { role: "user", content: "first" }),
    entry("2", "1", { role: "assistant", content: [{ type: "text", text: "taken back" }] }),
    entry("3", "1", { role: "assistant", content: [{ type: "text", text: "kept" }] }),
  ]);
  expect(await said(pi)).toEqual(["first", "kept"]);

  const claude = await fileOf(
    [
      node("1", null, "user", "first"),
      node("2", "1", "assistant", [{ type: "text", text: "taken back" }]),
      node("3", "1", "assistant", [{ type: "tool_use", id: "c1", name: "a", input: {} }]),
      node("4", "3", "assistant", [{ type: "tool_use", id: "c2", name: "b", input: {} }]),
      node("5", "3", "user", [{ type: "tool_result", tool_use_id: "c1", content: "one" }]),
      { ...node("9", "4", "assistant", [{ type: "text", text: "aside" }]), isSidechain: true },
      node("6", "4", "user", [{ type: "tool_result", tool_use_id: "c2", content: "two" }]),
    ],
    '{"type":"user","uuid":"7","mess',
  );
  expect(await said(claude)).toEqual(["first", "a", "b", "one", "two"]);
});

test("rejects a missing file with an error that contains its path", async () => {
  await expect(openSessionFile("/nowhere/x.jsonl")).rejects.toThrow("/nowhere/x.jsonl");
});

function entry(id: string, parentId: string | null, message: unknown) {
  return { type: "message", id, parentId, timestamp: at, message };
}

function node(uuid: string, parentUuid: string | null, type: string, content: unknown) {
  const message = { role: type, content };
  const where = { sessionId: "claude-1", cwd: "/work", gitBranch: "main" };
  return { type, uuid, parentUuid, isSidechain: false, timestamp: at, ...where, message };
}

async function said(file: string): Promise<string[]> {
  const history = await (await openSessionFile(file)).loadHistory();
  return history.flatMap(({ content }) =>
    content.map((part) => ("text" in part ? part.text : "name" in part ? part.name : "")),
  );
}
