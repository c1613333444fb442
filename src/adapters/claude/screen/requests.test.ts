import { expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { HookMessage } from "./hooks.ts";
import { ScreenRequests } from "./requests.ts";

const message = (id: string, file: string, rest: Partial<HookMessage> = {}): HookMessage => ({
  hook_event_name: "PermissionRequest",
  id,
  isReported: false,
  callId: undefined,
  tool_name: "Write",
  tool_input: { file_path: file, content: "x" },
  ...rest,
});

const announcement = (callId: string, file: string): HookMessage =>
  message(`hook of ${callId}`, file, { hook_event_name: "PreToolUse", tool_use_id: callId });

const call = (callId: string, file: string): EventDraft => ({
  type: "tool_call",
  callId,
  name: "Write",
  kind: "edit",
  input: { content: "x", file_path: file },
});

const result = (callId: string, output: string): EventDraft => ({
  type: "tool_result",
  callId,
  output,
  isError: true,
});

/** Returns the requests and answers in drafts: the request's id with its call or its answer. */
const seen = (drafts: readonly EventDraft[]) =>
  drafts.flatMap((draft) => {
    if (draft.type === "request") return [[draft.nativeId, draft.callId]];
    return draft.type === "settled" ? [[draft.nativeId, draft.decision]] : [];
  });

test("does not settle a request when Claude rejects another call to the same tool", () => {
  const requests = new ScreenRequests();
  requests.announce(announcement("second", "/work/b"));
  expect(requests.add(message("request", "/work/b"))).toBeUndefined();
  // the transcript lags behind the hooks, and reports a call that Claude rejected without a request
  expect(seen(requests.addRequests([call("first", "/work/a")]))).toEqual([]);
  expect(seen(requests.addRequests([result("first", "Refusing to write")]))).toEqual([]);
  expect(seen(requests.addRequests([call("second", "/work/b")]))).toEqual([["request", "second"]]);
  expect(requests.open).toEqual(["request"]);
  const drafts = requests.addRequests([result("second", "The user doesn't want to proceed")]);
  expect(seen(drafts)).toEqual([["request", "deny"]]);
});

test("assigns parallel requests for one tool to their calls", () => {
  const requests = new ScreenRequests();
  requests.announce(announcement("one", "/work/a"));
  requests.announce(announcement("two", "/work/b"));
  requests.addRequests([call("one", "/work/a"), call("two", "/work/b")]);
  expect(requests.add(message("for one", "/work/a"))).toMatchObject({ callId: "one" });
  expect(requests.add(message("for two", "/work/b"))).toMatchObject({ callId: "two" });
});

test("assigns a request with a changed input to the newest call to the tool", () => {
  const requests = new ScreenRequests();
  requests.announce(announcement("old", "/work/a"));
  requests.announce(announcement("new", "b"));
  requests.addRequests([call("old", "/work/a"), call("new", "b")]);
  expect(requests.add(message("request", "/work/b"))).toMatchObject({ callId: "new" });
});

test("opens a request whose call does not appear in the transcript", () => {
  const requests = new ScreenRequests();
  const early = message("request", "/work/a");
  requests.announce(announcement("call", "/work/a"));
  expect(requests.add(early)).toBeUndefined();
  expect(requests.addEarly(early)).toMatchObject({ nativeId: "request", callId: "call" });
  expect(seen(requests.addRequests([call("call", "/work/a")]))).toEqual([]);
});
