import { describe, expect, test, vi } from "vitest";
import { createJsonRpcPeer } from "./json-rpc.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "./json-rpc-error.ts";
import type { JsonRpcMessage } from "./json-rpc-message.ts";

type OnRequest = (method: string, params: unknown, id: string | number) => unknown;

/** Sends a request to a peer with this handler, over a connection that serializes JSON. */
function ask(onRequest: OnRequest | undefined, params?: unknown): Promise<unknown> {
  const copy = (message: JsonRpcMessage): unknown => JSON.parse(JSON.stringify(message));
  const asking = createJsonRpcPeer({ send: (message) => void asked.receive(copy(message)) });
  const asked = createJsonRpcPeer({
    send: (message) => void asking.receive(copy(message)),
    ...(onRequest && { onRequest }),
  });
  return asking.request("m", params);
}

const shout = (_method: string, params: unknown) => String(params).toUpperCase();

describe("a request from the other side", () => {
  test("is answered with the handler's result", async () => {
    expect(await ask(shout, "hey")).toBe("HEY");
    expect(await ask(async () => ({ later: true }))).toEqual({ later: true });
  });

  test("is answered with null when the handler returns nothing", async () => {
    expect(await ask(() => {})).toBeNull();
  });

  test("is answered with an error when the handler throws or rejects", async () => {
    const busy = new JsonRpcError(7, "busy", { retry: true });
    const refuse = () => {
      throw busy;
    };
    await expect(ask(refuse)).rejects.toEqual(busy);
    const fail = () => Promise.reject(new TypeError("boom"));
    await expect(ask(fail)).rejects.toEqual(new JsonRpcError(-32603, "boom"));
  });

  test("is answered with an error when there is no handler", async () => {
    const expected = new JsonRpcError(METHOD_NOT_FOUND, "method m not found");
    await expect(ask(undefined)).rejects.toEqual(expected);
  });

  test("is answered with an error when the result cannot be serialized", async () => {
    await expect(ask(() => ({ huge: 1n }))).rejects.toThrow("BigInt");
  });

  test("is answered with its id, even if a request from this side has the same id", async () => {
    const send = vi.fn();
    const peer = createJsonRpcPeer({ send, onRequest: shout, jsonrpc: false });
    const answer = peer.request("ours");
    expect(peer.receive({ id: 1, method: "theirs", params: "hey" })).toBe("request");
    peer.receive({ id: "abc", method: "theirs", params: "ho" });
    peer.receive({ id: 1, result: "mine" });
    expect(await answer).toBe("mine");
    expect(send.mock.calls).toEqual([
      [{ id: 1, method: "ours" }],
      [{ id: 1, result: "HEY" }],
      [{ id: "abc", result: "HO" }],
    ]);
  });
});
