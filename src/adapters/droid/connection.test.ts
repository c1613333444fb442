import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalHost } from "../../hosts/local/index.ts";
import { Conversation, spoken } from "../../testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { droidAdapter } from "./index.ts";

/**
 * Pretends to be Droid: it says `one` to the first message, and ends its turn when it hears the second, before it has
 * said that it took that one. What it says to the second is `two`.
 */
const program = `#!${process.execPath}
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const tell = (type, fields) =>
  say({ type: "notification", method: "droid.session_notification", params: { notification: { type, ...fields } } });
const begin = ({ id, params: { messageId } }, text) => {
  say({ type: "response", id, result: {} });
  tell("droid_working_state_changed", { newState: "thinking" });
  tell("create_message", { message: { id: messageId, role: "user", content: [] }, requestId: id });
  tell("create_message", { message: { id: text, role: "assistant", content: text } });
};
const end = ({ params }) => tell("agent_turn_completed", { reason: "completed", turnId: params.messageId });
let first;
const hear = (request) => {
  if (request.method !== "droid.add_user_message")
    return say({ type: "response", id: request.id, result: { sessionId: "s" } });
  if (first === undefined) {
    first = request;
    return begin(request, "one");
  }
  end(first);
  begin(request, "two");
  end(request);
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => hear(JSON.parse(line)));
`;

test("a message that meets the end of the turn keeps it open, and one that comes after it is refused", async () => {
  const path = await temporaryDirectory();
  const bin = join(path, "pretend-droid");
  const runDir = join(path, "run");
  await mkdir(runDir);
  await writeFile(bin, program);
  await chmod(bin, 0o755);
  const adapter = droidAdapter({ env: { PATH: process.env.PATH, HOME: path }, runtimesDir: path });
  const connection = await adapter.connect(
    sampleRequest({
      cwd: path,
      runDir,
      stateDir: join(path, "state"),
      host: createLocalHost(),
      model: { id: "m", baseUrl: "http://127.0.0.1:1/v1", api: "openai-chat", apiKey: "none" },
      options: { bin },
    }),
  );
  await using conversation = new Conversation(connection, () => undefined);
  await connection.ready();
  await conversation.send("first");
  await conversation.until("message");
  await conversation.steer("second");
  const { drafts, end } = await conversation.told();
  expect(spoken(drafts)).toEqual(["one", "two"]);
  expect(end.status).toBe("completed");
  await expect(conversation.steer("third")).rejects.toMatchObject({ code: "delivery_failed" });
});
