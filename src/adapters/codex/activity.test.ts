import { expect, test } from "vitest";
import { Activity } from "./activity.ts";

function turn(method: "turn/started" | "turn/completed", id: string) {
  return { method, params: { threadId: "t", turn: { id } } };
}

function command(id: string, turnId: string) {
  const item = { id, type: "commandExecution" };
  return { method: "item/started", params: { threadId: "t", turnId, item } };
}

test("a command belongs to the turn that is broken off, also once Codex has ended the turn", () => {
  const activity = new Activity();
  activity.hear(turn("turn/started", "one"));
  activity.hear(command("server", "one"));
  activity.hear(turn("turn/completed", "one"));
  activity.hear(turn("turn/started", "two"));
  activity.hear(command("sleep", "two"));
  expect(activity.isLeftBehind("sleep", "two")).toBe(false);
  activity.hear(turn("turn/completed", "two"));
  expect(activity.isLeftBehind("sleep", "two")).toBe(false);
  expect(activity.isLeftBehind("server", "two")).toBe(true);
});
