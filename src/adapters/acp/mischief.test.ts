import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type SmallAgentOptions,
  smallAgent,
  smallAgentAdapter,
} from "../../../test/acp/small-agent.ts";
import type { ConnectRequest } from "../../core/adapter.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { Conversation, ofType, spoken } from "../../testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { acpAdapter } from "./index.ts";

interface Scene extends SmallAgentOptions {
  readonly request?: Partial<ConnectRequest>;
  readonly decision?: "allow" | "deny";
  /** Without a word on what to start. */
  readonly bare?: boolean;
}

async function open({ request, decision, bare, ...agent }: Scene = {}): Promise<Conversation> {
  const directory = request?.cwd ?? (await temporaryDirectory());
  const runDir = join(await temporaryDirectory(), "run");
  await mkdir(runDir);
  const env = { PATH: process.env.PATH ?? "" };
  const adapter = bare ? acpAdapter({ env }) : smallAgentAdapter({ env, ...agent });
  const asked = { cwd: directory, host: createLocalHost(), runDir, stateDir: directory };
  const connection = await adapter.connect(sampleRequest({ ...asked, ...request }));
  const conversation = new Conversation(connection, () => decision && { decision });
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  return conversation;
}

const raws = ({ drafts }: Conversation) =>
  ofType(drafts, "system").filter(({ subtype }) => subtype === "raw");

describe.each([1, 2] as const)("an agent of version %i", (version) => {
  test("that dies in its turn is heard to its last word", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    await agent.send("!die out of memory");
    await expect(agent.told()).rejects.toThrow("ended without a completion");
    expect(ofType(agent.drafts, "delta")).toMatchObject([{ text: "goodbye" }]);
  });

  test("that hangs is ended, with all it started", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    await agent.send("!hang");
    await agent.until("delta");
    await agent.connection[Symbol.asyncDispose]();
    expect(ofType(agent.drafts, "completion")).toEqual([]);
  });

  test("that talks nonsense is understood from the next line on", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    const { drafts, end } = await agent.turn("!garbage");
    expect(spoken(drafts)).toEqual(["sorry"]);
    expect(end.status).toBe("completed");
    expect(raws(agent)).toMatchObject([
      { data: { message: 42 } },
      { data: { message: { params: { update: { sessionUpdate: "hologram" } } } } },
    ]);
  });

  test("that ends its turn twice has ended it once", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    await agent.turn("!double-end");
    await agent.turn("!double-end");
    const { end } = await agent.turn("!plan");
    expect(end.status).toBe("completed");
    expect(ofType(agent.drafts, "completion")).toHaveLength(3);
    expect(spoken(agent.drafts)).toEqual(["once", "once"]);
  });

  test("that goes on after the end says nothing in the turn any more", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    const { drafts } = await agent.turn("!late");
    expect(spoken(drafts)).toEqual(["in time"]);
    await expect.poll(() => raws(agent)).toHaveLength(1);
  });

  test("that speaks of another session is not mistaken for ours", async () => {
    const agent = await open({ version });
    await agent.connection.ready();
    const { drafts } = await agent.turn("!foreign");
    expect(spoken(drafts)).toEqual(["mine"]);
    expect(raws(agent)).toHaveLength(1);
  });

  test("tells its plan", async () => {
    const agent = await open({ version });
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

  test("that is not signed in says how one can, and no way is tried unasked", async () => {
    const agent = await open({ version, quirk: "signed-out" });
    await expect(agent.connection.ready()).rejects.toMatchObject({
      code: "not_signed_in",
      message: expect.stringContaining("Log in (login)"),
    });
    const asked = { options: { authenticate: "login" } };
    const other = await open({ version, quirk: "signed-out", request: asked });
    expect(await other.connection.ready()).toMatchObject({ protocol: { version } });
    const wrong = { options: { authenticate: "magic" } };
    const none = await open({ version, quirk: "signed-out", request: wrong });
    await expect(none.connection.ready()).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("gets the MCP servers in its own words", async () => {
    const mcpServers = { calc: { command: "/bin/calc", args: ["-x"], env: { A: "b" } } };
    const quirk = "tells-servers";
    const agent = await open({ version, quirk, request: { options: { mcpServers } } });
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

  test("has no mode that it does not name", async () => {
    const agent = await open({ version, request: { options: { mode: "nosuch" } } });
    await expect(agent.connection.ready()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("ask, free, plan"),
    });
  });
});

test("one that finds out in a turn that it is not signed in fails the turn", async () => {
  const agent = await open({ version: 1 });
  await agent.connection.ready();
  const { end } = await agent.turn("!refuse");
  expect(end).toMatchObject({ status: "failed", error: { code: "not_signed_in" } });
});

test("one that insists on its version is greeted in it", async () => {
  const agent = await open({ version: 1, quirk: "strict" });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("one that repeats the number it is asked for is known by its shape", async () => {
  const agent = await open({ version: 1, quirk: "echo" });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("version 1 is spoken where it is asked for", async () => {
  const agent = await open({ request: { options: { protocolVersion: 1 } } });
  expect(await agent.connection.ready()).toMatchObject({ protocol: { name: "ACP", version: 1 } });
});

test("a program that says nothing is found out, with what it wrote to standard error", async () => {
  const agent = await open({ quirk: "silent", request: { options: { greetingMs: 1500 } } });
  await expect(agent.connection.ready()).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/did not answer within 1\.5 s.*I only speak Latin/),
  });
});

test("one that tells how it comes along is waited for", async () => {
  const script = 'for i in 1 2 3 4 5 6 7 8; do echo "$i" >&2; sleep 0.3; done; exec "$@"';
  const command = ["/bin/sh", "-c", script, "sh", ...smallAgent];
  const agent = await open({ request: { options: { command, greetingMs: 1500 } } });
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
])("a program that is no ACP agent (%j) is refused", async (script, code) => {
  const agent = await open({ request: { options: { command: ["/bin/sh", "-c", script] } } });
  await expect(agent.connection.ready()).rejects.toMatchObject({ code });
});

test("one that cannot go on with a session says so", async () => {
  const agent = await open({ version: 1, quirk: "forgets", request: { resume: "some" } });
  await expect(agent.connection.ready()).rejects.toMatchObject({ code: "not_resumable" });
});

test("a session is gone on with by the command that it was started with", async () => {
  const cwd = await temporaryDirectory();
  const first = await open({ version: 1, request: { cwd } });
  const { runtimeSessionId: resume = "" } = await first.connection.ready();
  await first.turn("!foreign");
  await first.connection[Symbol.asyncDispose]();
  const env = { AGENT_VERSION: "1", AGENT_STATE: join(cwd, "small-agent") };
  const second = await open({ bare: true, request: { cwd, resume, env } });
  expect(await second.connection.ready()).toMatchObject({ runtimeSessionId: resume });
});

test("without a command there is nothing to start", async () => {
  await expect(open({ bare: true })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("--command"),
  });
});

test("a command that is not there says what to do", async () => {
  const request = { options: { command: "no-such-agent acp" } };
  await expect(open({ bare: true, request })).rejects.toMatchObject({
    code: "runtime_unavailable",
    message: "no-such-agent is not installed: install it, or name it by its path",
  });
});

describe("what an agent of version 1 has us do", () => {
  const write = (path: string) =>
    `!sideways fs/write_text_file ${JSON.stringify({ path, content: "x" })}`;
  const read = (path: string, more = {}) =>
    `!sideways fs/read_text_file ${JSON.stringify({ path, ...more })}`;

  test("is to read within the working directory, and some lines if it likes", async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, "a.txt"), "one\ntwo\nthree\n");
    const agent = await open({ version: 1, request: { cwd } });
    await agent.connection.ready();
    const all = await agent.turn(read(join(cwd, "a.txt")));
    expect(spoken(all.drafts)).toEqual([JSON.stringify({ content: "one\ntwo\nthree\n" })]);
    const some = await agent.turn(read(join(cwd, "a.txt"), { line: 2, limit: 1 }));
    expect(spoken(some.drafts)).toEqual([JSON.stringify({ content: "two\n" })]);
  });

  test("is never to leave the working directory, by a link neither", async () => {
    const outside = await temporaryDirectory();
    const cwd = await temporaryDirectory();
    await writeFile(join(outside, "secret"), "s");
    await symlink(outside, join(cwd, "link"));
    const agent = await open({ version: 1, decision: "allow", request: { cwd } });
    await agent.connection.ready();
    for (const path of [
      join(outside, "secret"),
      join(cwd, "link", "secret"),
      "../x",
      "/etc/passwd",
    ])
      expect(spoken((await agent.turn(read(path))).drafts)[0]).toMatch(/^refused: .*outside/);
    for (const path of [join(outside, "new"), join(cwd, "link", "new")])
      expect(spoken((await agent.turn(write(path))).drafts)[0]).toMatch(/^refused: .*outside/);
    await expect(readFile(join(outside, "new"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.each([
    ["allow", "x"],
    ["deny", undefined],
  ] as const)("is to write only if it may: %s", async (decision, content) => {
    const cwd = await temporaryDirectory();
    const agent = await open({ version: 1, decision, request: { cwd } });
    await agent.connection.ready();
    const { drafts } = await agent.turn(write(join(cwd, "deep", "a.txt")));
    expect(ofType(drafts, "request")).toMatchObject([
      { tool: { name: "write_text_file", kind: "edit" } },
    ]);
    const found = await readFile(join(cwd, "deep", "a.txt"), "utf8").catch(() => undefined);
    expect(found).toBe(content);
  });

  test("is to run a command only if it may, and never in a plan", async () => {
    const cwd = await temporaryDirectory();
    const run = `!sideways terminal/create ${JSON.stringify({ command: "touch a.txt" })}`;
    const denied = await open({ version: 1, decision: "deny", request: { cwd } });
    await denied.connection.ready();
    expect(ofType((await denied.turn(run)).drafts, "request")).toMatchObject([
      { tool: { kind: "execute", input: { command: "touch a.txt" } } },
    ]);
    const planning = await open({ version: 1, decision: "allow", request: { cwd, plan: true } });
    await planning.connection.ready();
    const { drafts } = await planning.turn(run);
    expect(ofType(drafts, "request")).toEqual([]);
    expect(spoken(drafts)[0]).toMatch(/^refused: permission denied/);
    await expect(readFile(join(cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
