import { expect, test } from "vitest";
import { serve, TOKEN } from "../../../test/http/served.ts";
import { Api } from "../api/api.ts";
import type { LineState } from "./line-status.ts";
import { followLive } from "./live.ts";
import { createSource } from "./source.ts";

test("rejects and closes the event stream if the server rejects the initial load", async () => {
  await using served = await serve();
  const body = JSON.stringify({ code: "store_locked", detail: "The store is locked. Try again." });
  const send: typeof fetch = async (input, init) => {
    if (new URL(String(input)).pathname === "/v1/sessions") {
      await expect.poll(() => served.server.readers).toBe(1); // the stream is open before the load fails
      return new Response(body, { status: 503 });
    }
    const headers = { ...init?.headers, authorization: `Bearer ${TOKEN}` };
    return fetch(input, { ...init, headers });
  };
  const api = new Api(new URL(served.url), createSource<LineState>("connecting"), send);
  const following = followLive(api, {
    signal: new AbortController().signal,
    onEvents: () => {},
    onOpen: async () => void (await api.sessions({})),
  });
  await expect(following).rejects.toMatchObject({ code: "store_locked" });
  await expect.poll(() => served.server.readers).toBe(0);
});
