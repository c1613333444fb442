import { describe, expect, test } from "vitest";
import { openHttp } from "../../test/mcp/http-scene.ts";
import {
  clients,
  connectTasks,
  type ServerAddress,
  stdioServer,
} from "../../test/mcp/official-clients.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

const transports: Readonly<Record<string, () => Promise<ServerAddress>>> = {
  stdio: async () => stdioServer(await temporaryDirectory()),
  HTTP: () => openHttp(),
};

describe.each(Object.entries(transports))("over %s", (_name, serve) => {
  test.each(Object.entries(clients))(
    "an official client for MCP %s starts a session, answers a request, reads the result, and cancels a turn",
    async (_version, connect) => {
      const call = await connect(await serve());
      const started = await call("session_start", { message: "say hello; ask; say done" });
      const { session_id, turn_id } = started;
      const messages: (string | undefined)[] = [];
      const asked = await call("session_wait", { session_id }, (message) => messages.push(message));
      expect(asked).toMatchObject({ session_id, turn_id, status: "input_required" });
      const [{ requestId }] = asked.open_requests as [{ requestId: string }];
      await call("request_answer", { session_id, request_id: requestId, decision: "allow" });
      const end = await call("session_wait", { session_id, turn_id }, (message) =>
        messages.push(message),
      );
      expect(end).toMatchObject({ session_id, turn_id, status: "completed", text: "done" });
      expect(messages.length).toBeGreaterThan(0);

      const { turn_id: second } = await call("session_message", { session_id, message: "wait" });
      await call("session_cancel", { session_id, turn_id: second });
      expect(await call("session_wait", { session_id, turn_id: second })).toMatchObject({
        status: "cancelled",
      });
    },
  );

  test("a client answers the requests of a fork and a handoff of a session that it started", async () => {
    const [connect] = Object.values(clients);
    if (!connect) throw new Error("no client");
    const call = await connect(await serve());
    const { session_id: original, turn_id } = await call("session_start", { message: "say hello" });
    await call("session_wait", { session_id: original, turn_id });
    const forked = await call("session_fork", { session_id: original });
    const agent_runtime = "fake";
    const handed = await call("session_handoff", { session_id: original, agent_runtime });
    await call("session_wait", { session_id: handed.session_id });
    for (const { session_id } of [forked, handed]) {
      await call("session_message", { session_id, message: "ask" });
      const asked = await call("session_wait", { session_id });
      expect(asked).toMatchObject({ session_id, status: "input_required" });
      const [{ requestId: request_id }] = asked.open_requests as [{ requestId: string }];
      const answer = { session_id, request_id, decision: "allow" };
      expect(await call("request_answer", answer)).toEqual(answer);
      expect(await call("session_wait", { session_id })).toMatchObject({ status: "completed" });
    }
  });

  test("the official package for tasks runs turns as tasks that complete, fail or are cancelled", async () => {
    const asked: unknown[] = [];
    const session = await connectTasks(await serve(), (params) => {
      asked.push(params);
      return { decision: "allow" };
    });
    const execution = await session.callTool("session_start", { message: "ask; say done" });
    expect(execution.kind).toBe("task");
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "done" }], structuredContent: { text: "done" } },
    });
    expect(asked).toMatchObject([{ mode: "form", message: expect.stringContaining("launch") }]);

    const failing = await session.callTool("session_start", { message: "fail out of paper" });
    expect((await failing.settle()).outcome).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("out of paper") }] },
    });
    const endless = await session.callTool("session_start", { message: "wait" });
    await endless.cancel();
    expect((await endless.settle()).outcome).toMatchObject({ status: "cancelled" });
  });

  test("denies a request that the client's user declines", async () => {
    const session = await connectTasks(await serve());
    const execution = await session.callTool("session_start", { message: "ask" });
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ result: { content: [{ text: "denied" }] } });
  });
});
