import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { StreamEvent } from "../../schema/event.ts";

const fixture = new URL("../../adapters/pi/fixtures/bash.jsonl", import.meta.url);
const messages = readFileSync(fixture, "utf8").trimEnd().split("\n");
/** Bare messages, and a line that is not a message. */
const bare = [...messages, "not json", ""].join("\n");
/** Messages with time and direction, including one message from the client. */
const wrapped = [
  '{"ms":0,"dir":"->","msg":{"type":"prompt","message":"go"}}',
  ...messages.map((message) => `{"ms":1,"dir":"<-","msg":${message}}`),
  "",
].join("\n");

test("converts a native log to events, one per line", async () => {
  const user = await newUser();
  await writeFile(join(user.cwd, "native.jsonl"), bare);
  const { exitCode, stdout } = await runWarm(user, ["replay", "--runtime", "pi", "native.jsonl"]);
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const events = lines.map((line) => StreamEvent.parse(JSON.parse(line)));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === "completion")).toHaveLength(1);
  expect(events).toContainEqual(
    expect.objectContaining({ subtype: "warning", text: expect.stringContaining("not json") }),
  );
});

test("shows a wrapped native log from standard input as text", async () => {
  const args = ["replay", "--runtime", "pi", "--format", "text", "-"];
  const { exitCode, stdout } = await runWarm(await newUser(), args, wrapped);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^→ bash .*\n {2}[\s\S]*\n✓ completed · /m);
});

test.each([
  [["--runtime", "pi", "nowhere.jsonl"], 2, /nowhere.jsonl: The file does not exist/],
  [["--runtime", "pi", "."], 2, /is a directory/],
  [["--runtime", "emacs", "x"], 3, /Unknown runtime "emacs"/],
  [["x"], 2, /required option '-r, --runtime <name>' not specified/],
])("halyard replay %j exits with %d and prints the reason", async (args, exitCode, message) => {
  const finished = await runWarm(await newUser(), ["replay", ...args]);
  expect(finished).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(message) });
});
