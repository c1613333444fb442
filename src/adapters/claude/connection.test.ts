import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { newTurnId } from "../../errors/require-id.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { Conversation } from "../../testing/adapter-suite/conversation.ts";
import { eventually } from "../../testing/eventually.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { claudeAdapter } from "./index.ts";

/** The messages that the fake Claude writes in response to each kind of input. */
interface Part {
  readonly initialize?: readonly unknown[];
  /** One list per user message. */
  readonly user?: readonly (readonly unknown[])[];
  readonly interrupt?: readonly unknown[];
}

/** The fake Claude. Replaces `$uuid` with the id of the received message and `$id` with the id of the request. */
const program = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const { initialize = [], user = [], interrupt = [] } = JSON.parse(process.env.PART);
let messages = 0;
const write = (all, names) => {
  const lines = all.map((one) => JSON.stringify(one).replaceAll("$uuid", names.uuid).replaceAll("$id", names.id));
  if (lines.length > 0) process.stdout.write(lines.join("\\n") + "\\n");
};
const receive = (line) => {
  appendFileSync(process.env.RECEIVED, line + "\\n");
  const message = JSON.parse(line);
  const names = { uuid: message.uuid ?? "", id: message.request_id ?? "" };
  const ok = { type: "control_response", response: { subtype: "success", request_id: "$id" } };
  if (message.type === "user") write(user[messages++] ?? [], names);
  if (message.type !== "control_request") return;
  const { subtype } = message.request;
  write([...(subtype === "interrupt" ? interrupt : subtype === "initialize" ? initialize : []), ok], names);
};
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  lines.filter(Boolean).forEach(receive);
});
`;

interface Stage {
  connect(part: Part, request?: Partial<ConnectRequest>): Promise<Conversation>;
  /** Returns the messages that the program has received so far. */
  received(): Promise<{ type: string; [name: string]: unknown }[]>;
}

const test = base.extend<{ stage: Stage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
  stage: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), "halyard-claude-"));
    const bin = join(path, "fake-claude");
    const paths = { cwd: path, runDir: join(path, "run"), stateDir: join(path, "state") };
    await mkdir(paths.runDir);
    await writeFile(bin, program);
    await chmod(bin, 0o755);
    await writeFile(join(path, "received"), "");
    const open: Conversation[] = [];
    await use({
      async connect(part, request = {}) {
        const adapter = claudeAdapter({ env: { PATH: process.env.PATH }, runtimesDir: path, bin });
        const full = sampleRequest({
          ...paths,
          host: createLocalHost(),
          permissions: "allow-all",
          env: { PART: JSON.stringify(part), RECEIVED: join(path, "received") },
          ...request,
        });
        const connection = await adapter.connect(full);
        const conversation = new Conversation(connection, () => undefined);
        open.push(conversation);
        await connection.ready();
        return conversation;
      },
      async received() {
        const lines = (await readFile(join(path, "received"), "utf8")).split("\n").filter(Boolean);
        return lines.map((line) => JSON.parse(line));
      },
    });
    await Promise.all(open.map((one) => one[Symbol.asyncDispose]()));
    await rm(path, { recursive: true, force: true });
  },
});

const init = { type: "system", subtype: "init", session_id: "s" };
const lifecycle = (state: string) => ({ type: "command_lifecycle", command_uuid: "$uuid", state });
const result = { type: "result", subtype: "success", is_error: false, result: "Hello." };
const turnStart = [
  lifecycle("queued"),
  lifecycle("started"),
  { ...init, user_message_uuids: ["$uuid"] },
];
const input = (text: string) => ({ turnId: newTurnId(), text });
const send = (connection: Connection, text: string) => connection.send(input(text));

test("rejects the message if Claude resumes another session", async ({ stage }) => {
  const conversation = await stage.connect({ user: [[init, result]] }, { resume: "asked-for" });
  await expect(send(conversation.connection, "hello")).rejects.toMatchObject({
    code: "runtime_session_not_found",
  });
  expect(conversation.drafts).toEqual([]);
});

test.for([{ permissions: "ask" }, { permissions: "deny" }, { plan: true }] as const)(
  "requires permission for every command after a change to %o, and keeps the given rules",
  async (changes, { stage }) => {
    const options = { settings: { permissions: { deny: ["WebFetch"], ask: ["Edit"] } } };
    const { connection } = await stage.connect({}, { permissions: "allow-all", options });
    await connection.configure?.(changes);
    const permissions = { deny: ["WebFetch"], ask: ["Edit", "Bash", "PowerShell", "Monitor"] };
    expect((await stage.received()).slice(-2)).toMatchObject([
      { request: { subtype: "apply_flag_settings", settings: { permissions } } },
      { request: { subtype: "set_permission_mode" } },
    ]);
  },
);

describe("a message", () => {
  test("is confirmed when Claude starts to work on it", async ({ stage }) => {
    const { connection } = await stage.connect({ user: [turnStart] });
    expect(await send(connection, "hello")).toEqual({ status: "confirmed" });
  });

  test("is confirmed by the start of a turn if Claude sends no lifecycle messages", async ({
    stage,
  }) => {
    const { connection } = await stage.connect({ user: [[init]] });
    expect(await send(connection, "hello")).toEqual({ status: "confirmed" });
  });

  test("is submitted during a turn that Claude started on its own, and can be cancelled", async ({
    stage,
  }) => {
    const part = {
      user: [[...turnStart, result, init], [lifecycle("queued")]],
      interrupt: [{ ...result, is_error: true, terminal_reason: "aborted_streaming" }],
    };
    const conversation = await stage.connect(part);
    const { connection, drafts } = conversation;
    await send(connection, "hello");
    await conversation.until("completion");
    expect(await send(connection, "again")).toEqual({ status: "submitted" });
    await connection.cancel();
    expect((await stage.received()).at(-1)).toMatchObject({
      request: { subtype: "interrupt", cancel_queued: true },
    });
    expect(drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
  });
});

describe("a message for the active turn", () => {
  test("is rejected if Claude sends no lifecycle messages", async ({ stage }) => {
    const { connection } = await stage.connect({ user: [[init]] });
    await send(connection, "hello");
    await expect(connection.steer(input("left"))).rejects.toMatchObject({ code: "unsupported" });
    expect((await stage.received()).filter(({ type }) => type === "user")).toHaveLength(1);
  });

  test("is rejected if the turn has already ended, and the turn that Claude starts instead is interrupted", async ({
    stage,
  }) => {
    const late = [
      lifecycle("queued"),
      lifecycle("started"),
      { ...init, user_message_uuids: ["$uuid"] },
      result,
    ];
    const conversation = await stage.connect({ user: [[...turnStart, result], late] });
    await send(conversation.connection, "hello");
    await conversation.until("completion");
    await expect(conversation.connection.steer(input("left"))).rejects.toMatchObject({
      code: "delivery_failed",
    });
    expect((await stage.received()).at(-1)).toMatchObject({ request: { subtype: "interrupt" } });
    expect(conversation.drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
  });
});

describe("a control request", () => {
  const ask = {
    type: "control_request",
    request_id: "r",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } },
  };
  const cancelled = { type: "control_cancel_request", request_id: "r" };

  test("is not answered after Claude has cancelled it", async ({ stage }) => {
    const conversation = await stage.connect({ user: [[...turnStart, ask, cancelled, result]] });
    await send(conversation.connection, "hello");
    await conversation.until("completion");
    await conversation.connection.answer("r", { decision: "allow" });
    expect((await stage.received()).filter(({ type }) => type === "control_response")).toEqual([]);
  });

  test("receives an error response if its subtype is unknown", async ({ stage }) => {
    const unknown = { type: "control_request", request_id: "r", request: { subtype: "sing" } };
    const { connection } = await stage.connect({ user: [[...turnStart, unknown]] });
    await send(connection, "hello");
    await eventually(async () =>
      expect((await stage.received()).at(-1)).toMatchObject({
        type: "control_response",
        response: { subtype: "error", request_id: "r" },
      }),
    );
  });

  test("cannot be answered if it does not exist", async ({ stage }) => {
    const { connection } = await stage.connect({});
    await expect(connection.answer("x", { decision: "allow" })).rejects.toMatchObject({
      code: "request_not_found",
    });
  });
});
