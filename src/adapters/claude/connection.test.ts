import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect, vi } from "vitest";
import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { newTurnId } from "../../core/id.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { Conversation } from "../../testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { claudeAdapter } from "./index.ts";

/** What a program does that pretends to be Claude: it says these when it hears that. */
interface Part {
  readonly initialize?: readonly unknown[];
  /** For the first message, the second, … */
  readonly user?: readonly (readonly unknown[])[];
  readonly interrupt?: readonly unknown[];
}

/** `$uuid` stands for the message just heard, `$id` for the request. */
const program = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const { initialize = [], user = [], interrupt = [] } = JSON.parse(process.env.PART);
let messages = 0;
const say = (all, names) => {
  const told = all.map((one) => JSON.stringify(one).replaceAll("$uuid", names.uuid).replaceAll("$id", names.id));
  if (told.length > 0) process.stdout.write(told.join("\\n") + "\\n");
};
const hear = (line) => {
  appendFileSync(process.env.HEARD, line + "\\n");
  const message = JSON.parse(line);
  const names = { uuid: message.uuid ?? "", id: message.request_id ?? "" };
  const ok = { type: "control_response", response: { subtype: "success", request_id: "$id" } };
  if (message.type === "user") say(user[messages++] ?? [], names);
  if (message.type !== "control_request") return;
  const { subtype } = message.request;
  say([...(subtype === "interrupt" ? interrupt : subtype === "initialize" ? initialize : []), ok], names);
};
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  lines.filter(Boolean).forEach(hear);
});
`;

interface Stage {
  connect(part: Part, request?: Partial<ConnectRequest>): Promise<Conversation>;
  /** What the program heard so far. */
  heard(): Promise<{ type: string; [name: string]: unknown }[]>;
}

const test = base.extend<{ stage: Stage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
  stage: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), "halyard-claude-"));
    const bin = join(path, "pretend-claude");
    const places = { cwd: path, runDir: join(path, "run"), stateDir: join(path, "state") };
    await mkdir(places.runDir);
    await writeFile(bin, program);
    await chmod(bin, 0o755);
    await writeFile(join(path, "heard"), "");
    const open: Conversation[] = [];
    await use({
      async connect(part, request = {}) {
        const adapter = claudeAdapter({ env: { PATH: process.env.PATH }, runtimesDir: path, bin });
        const asked = sampleRequest({
          ...places,
          host: createLocalHost(),
          permissions: "allow-all",
          env: { PART: JSON.stringify(part), HEARD: join(path, "heard") },
          ...request,
        });
        const connection = await adapter.connect(asked);
        const conversation = new Conversation(connection, () => undefined);
        open.push(conversation);
        await connection.ready();
        return conversation;
      },
      async heard() {
        const lines = (await readFile(join(path, "heard"), "utf8")).split("\n").filter(Boolean);
        return lines.map((line) => JSON.parse(line));
      },
    });
    await Promise.all(open.map((one) => one[Symbol.asyncDispose]()));
    await rm(path, { recursive: true, force: true });
  },
});

const init = { type: "system", subtype: "init", session_id: "s" };
const fate = (state: string) => ({ type: "command_lifecycle", command_uuid: "$uuid", state });
const result = { type: "result", subtype: "success", is_error: false, result: "Hello." };
const begin = [fate("queued"), fate("started"), { ...init, user_message_uuids: ["$uuid"] }];
const input = (text: string) => ({ turnId: newTurnId(), text });
const send = (connection: Connection, text: string) => connection.send(input(text));

test("a session that goes on as another one is an error, and no turn", async ({ stage }) => {
  const conversation = await stage.connect({ user: [[init, result]] }, { resume: "asked-for" });
  await expect(send(conversation.connection, "hello")).rejects.toMatchObject({
    code: "runtime_session_not_found",
  });
  expect(conversation.drafts).toEqual([]);
});

test.for([{ permissions: "ask" }, { permissions: "deny" }, { plan: true }] as const)(
  "asks for every command once the session has %o, and keeps rules that were given",
  async (changes, { stage }) => {
    const options = { settings: { permissions: { deny: ["WebFetch"], ask: ["Edit"] } } };
    const { connection } = await stage.connect({}, { permissions: "allow-all", options });
    await connection.configure?.(changes);
    const permissions = { deny: ["WebFetch"], ask: ["Edit", "Bash", "PowerShell", "Monitor"] };
    expect((await stage.heard()).slice(-2)).toMatchObject([
      { request: { subtype: "apply_flag_settings", settings: { permissions } } },
      { request: { subtype: "set_permission_mode" } },
    ]);
  },
);

describe("a message", () => {
  test("is confirmed once Claude begins with it", async ({ stage }) => {
    const { connection } = await stage.connect({ user: [begin] });
    expect(await send(connection, "hello")).toEqual({ status: "confirmed" });
  });

  test("is confirmed by the beginning of a turn where Claude says nothing of it", async ({
    stage,
  }) => {
    const { connection } = await stage.connect({ user: [[init]] });
    expect(await send(connection, "hello")).toEqual({ status: "confirmed" });
  });

  test("is submitted while Claude is busy by itself, and can be cancelled", async ({ stage }) => {
    const part = {
      user: [[...begin, result, init], [fate("queued")]],
      interrupt: [{ ...result, is_error: true, terminal_reason: "aborted_streaming" }],
    };
    const conversation = await stage.connect(part);
    const { connection, drafts } = conversation;
    await send(connection, "hello");
    await conversation.until("completion");
    expect(await send(connection, "again")).toEqual({ status: "submitted" });
    await connection.cancel();
    expect((await stage.heard()).at(-1)).toMatchObject({
      request: { subtype: "interrupt", cancel_queued: true },
    });
    expect(drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
  });
});

describe("a message for the turn under way", () => {
  test("is refused by a release that would not say what becomes of it", async ({ stage }) => {
    const { connection } = await stage.connect({ user: [[init]] });
    await send(connection, "hello");
    await expect(connection.steer(input("left"))).rejects.toMatchObject({ code: "unsupported" });
    expect((await stage.heard()).filter(({ type }) => type === "user")).toHaveLength(1);
  });

  test("that comes after its end is taken back", async ({ stage }) => {
    const late = [
      fate("queued"),
      fate("started"),
      { ...init, user_message_uuids: ["$uuid"] },
      result,
    ];
    const conversation = await stage.connect({ user: [[...begin, result], late] });
    await send(conversation.connection, "hello");
    await conversation.until("completion");
    await expect(conversation.connection.steer(input("left"))).rejects.toMatchObject({
      code: "delivery_failed",
    });
    expect((await stage.heard()).at(-1)).toMatchObject({ request: { subtype: "interrupt" } });
    expect(conversation.drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
  });
});

describe("what Claude asks", () => {
  const ask = {
    type: "control_request",
    request_id: "r",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } },
  };
  const cancelled = { type: "control_cancel_request", request_id: "r" };

  test("and takes back needs no answer", async ({ stage }) => {
    const conversation = await stage.connect({ user: [[...begin, ask, cancelled, result]] });
    await send(conversation.connection, "hello");
    await conversation.until("completion");
    await conversation.connection.answer("r", { decision: "allow" });
    expect((await stage.heard()).filter(({ type }) => type === "control_response")).toEqual([]);
  });

  test("and nobody here can do is refused, so that it does not wait", async ({ stage }) => {
    const strange = { type: "control_request", request_id: "r", request: { subtype: "sing" } };
    const { connection } = await stage.connect({ user: [[...begin, strange]] });
    await send(connection, "hello");
    await vi.waitFor(async () =>
      expect((await stage.heard()).at(-1)).toMatchObject({
        type: "control_response",
        response: { subtype: "error", request_id: "r" },
      }),
    );
  });

  test("but never asked cannot be answered", async ({ stage }) => {
    const { connection } = await stage.connect({});
    await expect(connection.answer("x", { decision: "allow" })).rejects.toMatchObject({
      code: "request_not_found",
    });
  });
});
