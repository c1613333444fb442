import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalHost } from "../../hosts/local/index.ts";
import { assistantTexts, Conversation } from "../../testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { droidAdapter } from "./index.ts";

/**
 * A fake Droid. It replies `one` to the first message. When the second message arrives, it ends the first turn before
 * it acknowledges the second message, and then replies `two`.
 */
const program = `#!${process.execPath}
const write = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const notify = (type, fields) =>
  write({ type: "notification", method: "droid.session_notification", params: { notification: { type, ...fields } } });
const begin = ({ id, params: { messageId } }, text) => {
  write({ type: "response", id, result: {} });
  notify("droid_working_state_changed", { newState: "thinking" });
  notify("create_message", { message: { id: messageId, role: "user", content: [] }, requestId: id });
  notify("create_message", { message: { id: text, role: "assistant", content: text } });
};
const end = ({ params }) => notify("agent_turn_completed", { reason: "completed", turnId: params.messageId });
let first;
const receive = (request) => {
  if (request.method !== "droid.add_user_message")
    return write({ type: "response", id: request.id, result: { sessionId: "s" } });
  if (first === undefined) {
    first = request;
    return begin(request, "one");
  }
  end(first);
  begin(request, "two");
  end(request);
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => receive(JSON.parse(line)));
`;

test.each([
  [
    -32004,
    {
      code: "runtime_session_not_found",
      message: "Droid could not open the session: no luck. Start a new session.",
    },
  ],
  [
    -32603,
    {
      code: "start_failed",
      message:
        'Droid could not open the session: no luck. Check the session\'s model and options, or run "droid" in a console to find the cause.',
    },
  ],
])("explains what to do if Droid responds with the error %i", async (code, expected) => {
  const connection = await connect(`#!${process.execPath}
const error = { code: ${code}, message: "no luck" };
const receive = ({ id }) => process.stdout.write(JSON.stringify({ type: "response", id, error }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => receive(JSON.parse(line)));
`);
  await using conversation = new Conversation(connection, () => undefined);
  await expect(conversation.connection.ready()).rejects.toMatchObject(expected);
});

test("keeps the turn open for a message that arrives at its end, and rejects a later steer", async () => {
  const connection = await connect(program);
  await using conversation = new Conversation(connection, () => undefined);
  await connection.ready();
  await conversation.send("first");
  await conversation.until("message");
  await conversation.steer("second");
  const { drafts, end } = await conversation.finishedTurn();
  expect(assistantTexts(drafts)).toEqual(["one", "two"]);
  expect(end.status).toBe("completed");
  await expect(conversation.steer("third")).rejects.toMatchObject({ code: "delivery_failed" });
});

/** Connects to a fake Droid with this source. */
async function connect(source: string) {
  const path = await temporaryDirectory();
  const bin = join(path, "fake-droid");
  const runDir = join(path, "run");
  await mkdir(runDir);
  await writeFile(bin, source);
  await chmod(bin, 0o755);
  const adapter = droidAdapter({ env: { PATH: process.env.PATH, HOME: path }, runtimesDir: path });
  return adapter.connect(
    sampleRequest({
      cwd: path,
      runDir,
      stateDir: join(path, "state"),
      host: createLocalHost(),
      model: { id: "m", baseUrl: "http://127.0.0.1:1/v1", api: "openai-chat", apiKey: "none" },
      options: { bin },
    }),
  );
}
