import { expect, test } from "vitest";
import { openHttp, TOKEN } from "../../test/mcp/http-scene.ts";
import { clients } from "../../test/mcp/official-clients.ts";

const connect = (address: { url: string; token: string }) => {
  const open = clients["2026-07-28"];
  if (!open) throw new Error("no client");
  return open(address);
};

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const authorization = `Bearer ${TOKEN}`;

test("requires a token and an allowed Origin, and rejects requests that are not MCP", async () => {
  const { url, faults, halyard } = await openHttp();
  const post = async (headers: Record<string, string>, body = "{}") =>
    (await fetch(url, { method: "POST", headers: { ...json, ...headers }, body })).status;
  expect(await post({})).toBe(401);
  expect(await post({ authorization: "Bearer wrong" })).toBe(401);
  expect(await post({ authorization, origin: "https://evil.example" })).toBe(403);
  expect(await post({ authorization }, "{")).toBe(400);
  expect(await post({ authorization }, "[]")).toBe(400);
  expect(await post({ authorization }, "x".repeat(33 * 1024 * 1024))).toBe(413);
  expect((await fetch(url, { headers: { authorization } })).status).toBe(405);
  expect(await halyard.sessions()).toEqual([]);
  expect(faults.filter((fault) => !(fault instanceof Error))).toEqual([]);
});

test("limits clients to the server's policy, which the URL can only make stricter", async () => {
  const { url, token, root, halyard } = await openHttp("allow-edits", { answers: false });
  const loose = await halyard.start({ runtime: "fake", cwd: root, permissions: "allow-all" });
  const call = await connect({ url, token });
  const forbidden = { error: { code: "forbidden" } };
  const session_id = loose.id;
  for (const [tool, input] of [
    ["session_message", { message: "say x" }],
    ["session_wait", {}],
    ["session_cancel", {}],
    ["session_end", {}],
  ] as const)
    expect(await call(tool, { session_id, ...input })).toMatchObject(forbidden);
  expect(await call("session_list", {})).toEqual({ sessions: [] });
  const query = async (text: string) =>
    (
      await fetch(`${url}?${text}`, {
        method: "POST",
        headers: { ...json, authorization },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      })
    ).status;
  expect(await query("permissions=allow-all")).toBe(403);
  expect(await query("answers=true")).toBe(403);
  expect(await query("permission=ask")).toBe(400);
  const strict = await connect({ url: `${url}?permissions=deny`, token });
  const { session_id: own } = await strict("session_start", { message: "tool write a.txt x" });
  expect(await strict("session_wait", { session_id: own })).toMatchObject({ status: "completed" });
  expect(await halyard.find(String(own))).toMatchObject({ permissions: "deny" });
});

test("rejects an answer to a request of a session that no MCP client started", async () => {
  const { url, token, root, halyard } = await openHttp();
  const mine = await halyard.start({ runtime: "fake", cwd: root, permissions: "ask" });
  const turn = mine.send("ask");
  for await (const event of turn) if (event.type === "request") break;
  const call = await connect({ url, token });
  const [request] = mine.info.openRequests;
  const input = { session_id: mine.id, request_id: request?.requestId, decision: "allow" };
  expect(await call("request_answer", input)).toMatchObject({ error: { code: "forbidden" } });
  await mine.answer(request?.requestId ?? "", { decision: "deny" });
});

test("cancels a turn immediately after the session starts", async () => {
  const { url, token } = await openHttp("allow-all");
  const call = await connect({ url, token });
  const { session_id } = await call("session_start", { message: "wait" });
  expect(await call("session_cancel", { session_id })).toMatchObject({ status: "cancelled" });
});

test("serves 50 clients that wait for a session at the same time", async () => {
  const { url, token } = await openHttp("allow-all");
  const first = await connect({ url, token });
  const { session_id } = await first("session_start", { message: "wait" });
  const all = await Promise.all(Array.from({ length: 50 }, () => connect({ url, token })));
  const waits = all.map((call) => call("session_wait", { session_id }));
  await first("session_cancel", { session_id });
  for (const end of await Promise.all(waits)) expect(end).toMatchObject({ status: "cancelled" });
});
