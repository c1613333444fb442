import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { createJsonRpcPeer } from "./json-rpc.ts";
import { JsonRpcError } from "./json-rpc-error.ts";
import type { JsonRpcMessage } from "./json-rpc-message.ts";

type Options = Partial<Parameters<typeof createJsonRpcPeer>[0]>;

/** Creates a peer whose messages are collected in `sent`. */
function recording(options: Options = {}) {
  const sent: JsonRpcMessage[] = [];
  const send = (message: JsonRpcMessage) => void sent.push(message);
  return { sent, peer: createJsonRpcPeer({ send, jsonrpc: false, ...options }) };
}

describe("a request", () => {
  test("is numbered, and settled by the response with its number", async () => {
    const { peer, sent } = recording();
    const answers = Promise.all([peer.request("first", { a: 1 }), peer.request("second")]);
    expect(sent).toEqual([
      { id: 1, method: "first", params: { a: 1 } },
      { id: 2, method: "second" },
    ]);
    expect(peer.receive({ id: 2, result: "two" })).toBe("response");
    expect(peer.receive({ id: 1, result: "one" })).toBe("response");
    expect(await answers).toEqual(["one", "two"]);
  });

  test("accepts a response whose id is a string", async () => {
    const { peer } = recording();
    const answer = peer.request("m");
    peer.receive({ jsonrpc: "2.0", id: "1", result: {} });
    expect(await answer).toEqual({});
  });

  test("rejects with the response's error, and ignores a second response", async () => {
    const { peer } = recording();
    const answer = peer.request("m");
    peer.receive({ id: 1, error: { code: -32004, message: "no such session", data: 1 } });
    peer.receive({ id: 1, result: {} });
    await expect(answer).rejects.toEqual(new JsonRpcError(-32004, "no such session", 1));
    expect(peer.receive({ id: 1, result: {} })).toBe("response");
  });

  test("rejects if it cannot be sent, without affecting other requests", async () => {
    const failures = [
      () => {
        throw new Error("broken pipe");
      },
      () => Promise.reject(new Error("reset")),
      () => {},
    ];
    const peer = createJsonRpcPeer({ send: () => failures.shift()?.() });
    const answers = ["a", "b", "c"].map((method) => peer.request(method));
    peer.receive({ id: 3, result: "fine" });
    expect(await Promise.allSettled(answers)).toEqual([
      { status: "rejected", reason: new Error("broken pipe") },
      { status: "rejected", reason: new Error("reset") },
      { status: "fulfilled", value: "fine" },
    ]);
  });

  test("rejects with the signal's reason when aborted", async () => {
    const { peer } = recording();
    const controller = new AbortController();
    const answer = peer.request("m", {}, { signal: controller.signal });
    controller.abort(new Error("changed my mind"));
    await expect(answer).rejects.toThrow("changed my mind");
  });

  test("is not sent if its signal is already aborted", async () => {
    const { peer, sent } = recording();
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(peer.request("m", {}, { signal })).rejects.toThrow("too late");
    expect(sent).toEqual([]);
  });
});

describe("waiting for a response", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("times out with an error that names the method", async () => {
    const { peer } = recording({ defaultTimeoutMs: 1000 });
    const answers = Promise.allSettled([
      peer.request("slow"),
      peer.request("slower", {}, { timeoutMs: 2000 }),
    ]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answers).toMatchObject([
      { reason: { name: "JsonRpcTimeout", method: "slow", timeoutMs: 1000 } },
      { reason: { message: "no answer to slower within 2000 ms" } },
    ]);
    expect(peer.receive({ id: 1, result: "late" })).toBe("response");
  });

  test("has no time limit if the timeout is infinite", async () => {
    const { peer } = recording();
    const answer = peer.request("m", {}, { timeoutMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(1e9);
    peer.receive({ id: 1, result: "at last" });
    expect(await answer).toBe("at last");
  });

  test("leaves no timer or listener behind after it has ended", async () => {
    const { peer } = recording();
    const controller = new AbortController();
    const { signal } = controller;
    const answers = Promise.allSettled([
      peer.request("answered", {}, { signal }),
      peer.request("refused"),
      peer.request("aborted", {}, { signal }),
      peer.request("closed"),
    ]);
    expect(vi.getTimerCount()).toBe(4);
    peer.receive({ id: 1, result: 1 });
    peer.receive({ id: 2, error: {} });
    await eventually(() => expect(getEventListeners(signal, "abort")).toHaveLength(1));
    controller.abort();
    peer.close(new Error("gone"));
    await answers;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("sends and receives notifications without responses", async () => {
  const received: unknown[] = [];
  const { peer, sent } = recording({ onNotification: (...heardOf) => void received.push(heardOf) });
  await peer.notify("initialized");
  expect(peer.receive({ method: "turn/started", params: { id: 1 } })).toBe("notification");
  expect(received).toEqual([["turn/started", { id: 1 }]]);
  expect(sent).toEqual([{ method: "initialized" }]);
});

test("writes the version if `jsonrpc` is true", async () => {
  const { peer, sent } = recording({ jsonrpc: true });
  await peer.notify("m", []);
  expect(sent).toEqual([{ jsonrpc: "2.0", method: "m", params: [] }]);
});

describe("a closed peer", () => {
  test("rejects pending requests with the first reason", async () => {
    const { peer } = recording();
    const answer = peer.request("m");
    peer.close(new Error("the process ended"));
    peer.close(new Error("again"));
    await expect(answer).rejects.toThrow("the process ended");
    await expect(peer.request("m")).rejects.toThrow("the process ended");
  });

  test("sends nothing and rejects new requests", async () => {
    const { peer, sent } = recording();
    peer.close(new Error("gone"));
    await expect(peer.request("m")).rejects.toThrow("gone");
    await expect(peer.notify("m")).rejects.toThrow("gone");
    expect(sent).toEqual([]);
  });

  test("does not answer new or pending requests", async () => {
    const onRequest = vi.fn(async () => "too late");
    const { peer, sent } = recording({ onRequest });
    peer.receive({ id: "x", method: "m" });
    peer.close(new Error("gone"));
    expect(peer.receive({ id: "y", method: "m" })).toBe("request");
    await setImmediate();
    expect(onRequest.mock.calls).toEqual([["m", undefined, "x"]]);
    expect(sent).toEqual([]);
  });

  test("still delivers notifications", () => {
    const onNotification = vi.fn();
    const { peer } = recording({ onNotification });
    peer.close(new Error("gone"));
    peer.receive({ method: "turn/completed" });
    expect(onNotification).toHaveBeenCalledOnce();
  });
});
