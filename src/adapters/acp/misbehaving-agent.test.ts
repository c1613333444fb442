import { describe, expect, test } from "vitest";
import { openSmallAgent } from "../../../test/acp/open-small-agent.ts";
import { smallAgent } from "../../../test/acp/small-agent.ts";
import {
  assistantTexts,
  type Conversation,
  ofType,
} from "../../testing/adapter-suite/conversation.ts";

const raws = ({ drafts }: Conversation) =>
  ofType(drafts, "system").filter(({ subtype }) => subtype === "raw");

describe.each([1, 2] as const)("version %i agent", (version) => {
  test("emits all output of an agent that dies during a turn", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    await agent.send("!die out of memory");
    await expect(agent.finishedTurn()).rejects.toThrow("ended without a completion");
    expect(ofType(agent.drafts, "delta")).toMatchObject([{ text: "goodbye" }]);
  });

  test("closes the connection to a hanging agent without emitting a completion", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    await agent.send("!hang");
    await agent.until("delta");
    await agent.connection[Symbol.asyncDispose]();
    expect(ofType(agent.drafts, "completion")).toEqual([]);
  });

  test("completes the turn after a malformed line and an unknown update", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    const { drafts, end } = await agent.turn("!garbage");
    expect(assistantTexts(drafts)).toEqual(["sorry"]);
    expect(end.status).toBe("completed");
    expect(raws(agent)).toMatchObject([
      { data: { message: 42 } },
      { data: { message: { params: { update: { sessionUpdate: "hologram" } } } } },
    ]);
  });

  test("emits one completion for a turn that ends twice", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    await agent.turn("!double-end");
    await agent.turn("!double-end");
    const { end } = await agent.turn("!plan");
    expect(end.status).toBe("completed");
    expect(ofType(agent.drafts, "completion")).toHaveLength(3);
    expect(assistantTexts(agent.drafts)).toEqual(["once", "once"]);
  });

  test("maps output after the end of a turn to `system/raw`", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    const { drafts } = await agent.turn("!late");
    expect(assistantTexts(drafts)).toEqual(["in time"]);
    await expect.poll(() => raws(agent)).toHaveLength(1);
  });

  test("maps an update for another session to `system/raw`", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    const { drafts } = await agent.turn("!foreign");
    expect(assistantTexts(drafts)).toEqual(["mine"]);
    expect(raws(agent)).toHaveLength(1);
  });

  test("emits the agent's plan", async () => {
    const agent = await openSmallAgent({ version });
    await agent.connection.ready();
    const { drafts } = await agent.turn("!plan");
    expect(drafts).toContainEqual({
      type: "system",
      subtype: "plan",
      text: "● look\n◐ leap",
      data: {
        steps: [
          { step: "look", status: "completed" },
          { step: "leap", status: "in_progress" },
        ],
      },
    });
  });

  test("lists the sign-in methods, and signs in only with the `authenticate` option", async () => {
    const agent = await openSmallAgent({ version, quirk: "signed-out" });
    await expect(agent.connection.ready()).rejects.toMatchObject({
      code: "not_signed_in",
      message: expect.stringContaining("Log in (login)"),
    });
    const asked = { options: { authenticate: "login" } };
    const other = await openSmallAgent({ version, quirk: "signed-out", request: asked });
    expect(await other.connection.ready()).toMatchObject({ protocol: { version } });
    const wrong = { options: { authenticate: "magic" } };
    const none = await openSmallAgent({ version, quirk: "signed-out", request: wrong });
    await expect(none.connection.ready()).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("passes the MCP servers in the format of the agent's protocol version", async () => {
    const mcpServers = { calc: { command: "/bin/calc", args: ["-x"], env: { A: "b" } } };
    const quirk = "tells-servers";
    const agent = await openSmallAgent({ version, quirk, request: { options: { mcpServers } } });
    await agent.connection.ready();
    await agent.until("system");
    const [notice] = ofType(agent.drafts, "system");
    const server = {
      name: "calc",
      command: "/bin/calc",
      args: ["-x"],
      env: [{ name: "A", value: "b" }],
    };
    expect(JSON.parse(notice?.text ?? "")).toEqual([
      version === 2 ? { type: "stdio", ...server } : server,
    ]);
  });

  test("rejects an unknown mode, and lists the available modes", async () => {
    const agent = await openSmallAgent({ version, request: { options: { mode: "nosuch" } } });
    await expect(agent.connection.ready()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("ask, free, plan"),
    });
  });
});

test("fails the turn if the agent reports that it is not signed in", async () => {
  const agent = await openSmallAgent({ version: 1 });
  await agent.connection.ready();
  const { end } = await agent.turn("!refuse");
  expect(end).toMatchObject({ status: "failed", error: { code: "not_signed_in" } });
});

test("repeats the handshake with version 1 if the agent rejects version 2", async () => {
  const agent = await openSmallAgent({ version: 1, quirk: "strict" });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("detects version 1 from the other fields of the response if the agent echoes the requested version", async () => {
  const agent = await openSmallAgent({ version: 1, quirk: "echo" });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("negotiates version 1 if the `protocolVersion` option requests it", async () => {
  const agent = await openSmallAgent({ request: { options: { protocolVersion: 1 } } });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("rejects a silent program with an error that contains its stderr", async () => {
  const agent = await openSmallAgent({
    quirk: "silent",
    request: { options: { greetingMs: 1500 } },
  });
  await expect(agent.connection.ready()).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/did not respond within 1\.5 s.*I only speak Latin/),
  });
});

test("waits longer than `greetingMs` for an agent that keeps writing to stderr", async () => {
  const script = 'for i in 1 2 3 4 5 6 7 8; do echo "$i" >&2; sleep 0.3; done; exec "$@"';
  const command = ["/bin/sh", "-c", script, "sh", ...smallAgent];
  const agent = await openSmallAgent({ request: { options: { command, greetingMs: 1500 } } });
  expect(await agent.connection.ready()).toMatchObject({ agent: "Small Agent 1.2.3" });
});

test.each([
  ["echo hello; exit 3", "agent_exited"],
  [
    `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{}}}'; sleep 5`,
    "start_failed",
  ],
  [
    `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":7}}'; sleep 5`,
    "unsupported",
  ],
])("rejects a program that does not support ACP version 1 or 2 (%j)", async (script, code) => {
  const agent = await openSmallAgent({
    request: { options: { command: ["/bin/sh", "-c", script] } },
  });
  await expect(agent.connection.ready()).rejects.toMatchObject({ code });
});

test("rejects a resume if the agent does not support it", async () => {
  const agent = await openSmallAgent({ version: 1, quirk: "forgets", request: { resume: "some" } });
  await expect(agent.connection.ready()).rejects.toMatchObject({ code: "not_resumable" });
});

test("rejects a session without a command", async () => {
  await expect(openSmallAgent({ bare: true })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("--command"),
  });
});

test("rejects a program that is not installed, with a hint", async () => {
  const request = { options: { command: "no-such-agent acp" } };
  await expect(openSmallAgent({ bare: true, request })).rejects.toMatchObject({
    code: "runtime_unavailable",
    message:
      "The agent cannot be started: no-such-agent is not installed. To correct this, install it, or specify its full path.",
  });
});
