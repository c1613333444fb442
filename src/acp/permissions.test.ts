import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import { SecondClient } from "../../test/acp-client/second-client.ts";
import type { Adapter, Output } from "../contracts/adapter.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

test("requests permission from the client before a tool call, with the call's kind, path and change", async () => {
  const { client, cwd } = await openFirst({ answer: () => "allow" });
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "tool write a.txt hello");
  const path = join(cwd, "a.txt");
  const call = {
    toolCallId: expect.any(String),
    title: "write a.txt",
    name: "write",
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: null, newText: "hello" }],
    rawInput: { file: "a.txt", content: "hello" },
  };
  expect(client.asked).toEqual([
    {
      sessionId,
      toolCall: { ...call, status: "pending" },
      options: [
        { optionId: "allow", name: "allow", kind: "allow_once" },
        { optionId: "deny", name: "deny", kind: "reject_once" },
        {
          optionId: "always",
          name: `Allow edits of unprotected files in ${cwd} with write, for the rest of this session`,
          kind: "allow_always",
        },
      ],
    },
  ]);
  expect(client.of("tool_call")).toEqual([
    { ...call, sessionUpdate: "tool_call", status: "in_progress" },
  ]);
  expect(client.of("tool_call_update")).toMatchObject([{ status: "completed" }]);
  expect(await readFile(path, "utf8")).toBe("hello");
});

test("does not run a tool that the client denies", async () => {
  const { client, cwd } = await openFirst({ answer: () => "deny" });
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "tool write a.txt hello");
  expect(client.of("tool_call_update")).toMatchObject([{ status: "failed" }]);
  await expect(readFile(join(cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("denies a permission request if the client responds to it with an error", async () => {
  const { client, cwd } = await openFirst({
    answer: () => {
      throw new Error("no window");
    },
  });
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "ask");
  expect(client.receivedText("agent_message_chunk")).toBe("denied");
});

test("sends a question to the client with its options", async () => {
  const { client, cwd } = await openFirst({ answer: () => "no" });
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "question Go on?");
  expect(client.asked).toMatchObject([
    { toolCall: { title: "Go on?" }, options: [{ optionId: "yes" }, { optionId: "no" }] },
  ]);
  expect(client.receivedText("agent_message_chunk")).toBe("no");
});

/** Returns a fake adapter whose questions can only be answered with text. */
function wordy(): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "wordy",
    async connect(request) {
      const connection = await fake.connect(request);
      const { output } = connection;
      return Object.assign(connection, { output: withoutOptions(output) });
    },
  };
}

async function* withoutOptions(
  batches: AsyncIterable<readonly Output[]>,
): AsyncGenerator<readonly Output[]> {
  for await (const batch of batches)
    yield batch.map(({ drafts, ...rest }) => ({
      ...rest,
      drafts: drafts.map((draft) => (draft.type === "request" ? { ...draft, options: [] } : draft)),
    }));
}

describe.each([
  ["in a form", { elicitation: { form: {} } }, "you asked: Why?"],
  [
    "with a denial if the client has no forms",
    {},
    "The client does not support forms, which this question needs: Why?",
  ],
])("answers a text question %s", (_, capabilities, expected) => {
  const open = async () => {
    const scene = await openScene({ adapters: [wordy()] });
    const { stream } = serve(scene, { startRequest: async (cwd) => ({ runtime: "wordy", cwd }) });
    const write = (message: string) => `you asked: ${message}`;
    return { cwd: scene.cwd, stream, options: { capabilities, write } };
  };

  test("for a version 1 client", async () => {
    const { cwd, stream, options } = await open();
    const client = new FirstClient(stream, options);
    const sessionId = await client.newSession(cwd);
    await client.prompt(sessionId, "question Why?");
    expect(client.receivedText("agent_message_chunk")).toBe(expected);
  });

  test("for a version 2 client", async () => {
    const { cwd, stream, options } = await open();
    const client = new SecondClient(stream, options);
    await client.greeting;
    const { sessionId } = await client.agent.request("session/new", { cwd });
    await client.prompt(sessionId, "question Why?");
    await eventually(() => expect(client.said).toBe(expected));
  });
});

test("withdraws a request from the client when it is answered elsewhere", async () => {
  let takeBack = () => {};
  const takenBack = new Promise<void>((resolve) => {
    takeBack = resolve;
  });
  const { client, cwd, halyard } = await openFirst({
    answer: async (_, signal) => {
      signal.addEventListener("abort", takeBack);
      await takenBack;
      return "deny";
    },
  });
  const sessionId = await client.newSession(cwd);
  const prompting = client.prompt(sessionId, "ask");
  await eventually(() => expect(client.asked).toHaveLength(1));
  const [info] = await halyard.sessions();
  const [request] = info?.openRequests ?? [];
  if (!info || !request) throw new Error("nothing is asked");
  await (await halyard.session(info.id)).answer(request.requestId, { decision: "allow" });
  await takenBack;
  expect(await prompting).toMatchObject({ stopReason: "end_turn" });
  expect(client.receivedText("agent_message_chunk")).toBe("allowed");
});
