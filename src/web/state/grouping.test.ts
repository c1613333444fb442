import { expect, test } from "vitest";
import type { SessionInfo } from "../../schema/session.ts";
import { sampleSession } from "../../testing/sample-session.ts";
import { arrange } from "./grouping.ts";

const entry = (changes: Partial<SessionInfo>) => ({
  info: sampleSession(changes),
  activity: { text: "", isError: false },
});

const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;

const request = {
  type: "request",
  requestId: "req_0123456789abcdef",
  kind: "question",
  text: "?",
  options: [],
  verdict: "ask",
} as unknown as SessionInfo["openRequests"][number];

const entries = [
  entry({ name: "old", state: "stopped", runtime: "codex", cwd: "/a/shop", updatedAt: at(1) }),
  entry({ name: "new", state: "stopped", runtime: "claude", cwd: "/b/shop", updatedAt: at(2) }),
  entry({ name: "busy", state: "running", runtime: "claude", cwd: "/a/shop", updatedAt: at(3) }),
  entry({ name: "asks", state: "waiting", runtime: "pi", cwd: "/a/x", openRequests: [request] }),
];

const outline = (grouping: Parameters<typeof arrange>[1]) =>
  arrange(entries, grouping).map(({ key, title, entries: members }) => [
    key,
    title,
    members.map(({ info }) => info.name),
  ]);

test("groups sessions by state, the newest first", () => {
  expect(outline("state")).toEqual([
    ["needs", "Needs you", ["asks"]],
    ["working", "Working", ["busy"]],
    ["done", "Done", ["new", "old"]],
  ]);
});

test("keeps sessions that need the user at the top of every grouping", () => {
  expect(outline("runtime")).toEqual([
    ["needs", "Needs you", ["asks"]],
    ["runtime:claude", "claude", ["busy", "new"]],
    ["runtime:codex", "codex", ["old"]],
  ]);
});

test("distinguishes projects with the same name by their directory", () => {
  expect(outline("project")).toEqual([
    ["needs", "Needs you", ["asks"]],
    ["project:/a/shop", "shop", ["busy", "old"]],
    ["project:/b/shop", "shop", ["new"]],
  ]);
});
