import { expect, test } from "vitest";
import { Activity } from "./activity.ts";

function turn(method: "turn/started" | "turn/completed", id: string) {
  return { method, params: { threadId: "t", turn: { id } } };
}

function command(id: string, turnId: string) {
  const item = { id, type: "commandExecution" };
  return { method: "item/started", params: { threadId: "t", turnId, item } };
}

test("assigns a command to the interrupted turn even after the turn has ended", () => {
  const activity = new Activity();
  activity.onMessage(turn("turn/started", "one"));
  activity.onMessage(command("server", "one"));
  activity.onMessage(turn("turn/completed", "one"));
  activity.onMessage(turn("turn/started", "two"));
  activity.onMessage(command("sleep", "two"));
  expect(activity.isFromEarlierTurn("sleep", "two")).toBe(false);
  activity.onMessage(turn("turn/completed", "two"));
  expect(activity.isFromEarlierTurn("sleep", "two")).toBe(false);
  expect(activity.isFromEarlierTurn("server", "two")).toBe(true);
});
