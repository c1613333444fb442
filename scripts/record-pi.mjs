/**
 * Records the fixtures of the Pi adapter from the real program, against a scripted model on loopback:
 *
 *   npm run build && node scripts/record-pi.mjs [--runtimes DIR --prefix v0.87-] [situation …]
 *
 * `--runtimes` is a directory in which `halyard runtime install` has installed the Pi to record. Defaults to the embedded Pi.
 * `--prefix` is put before the names of the fixtures.
 * Each line is a JSON message of Pi without system prompts and without the paths and ports of this machine.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { piAdapter } from "../dist/adapters/pi/index.js";
import { createLocalHost } from "../dist/hosts/local/index.js";
import { Limits } from "../dist/schema/session/start-request.js";
import { startScriptedModel } from "../dist/testing/scripted-model.js";

const { values: given, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { runtimes: { type: "string" }, prefix: { type: "string", default: "" } },
});
const { runtimes, prefix } = given;
const fixtures = new URL("../src/adapters/pi/fixtures/", import.meta.url);
const slow = { text: "one two three four five", chunkSize: 4, chunkDelayMs: 100 };
const bash = (command) => ({ toolCalls: [{ name: "bash", input: { command } }] });
const write = { toolCalls: [{ name: "write", input: { path: "a.txt", content: "one\n" } }] };
const done = { text: "Done." };
const failure = (status, message) => ({ error: { status, message } });

/** The situations: the responses of the model, the messages of the user, and `on`, which reacts to messages of Pi. */
const situations = {
  text: { replies: [{ text: "Hello, world. ☃", usage: { inputTokens: 12, outputTokens: 4 } }] },
  reasoning: {
    reasoning: "low",
    replies: [{ reasoning: "Let me think.", text: "Thought." }],
  },
  "reasoning-responses": {
    api: "openai-responses",
    reasoning: "low",
    replies: [{ reasoning: "Let me think.", text: "Thought." }],
  },
  write: { api: "anthropic", replies: [{ text: "I write.", ...write }, done] },
  bash: { replies: [bash("echo hi"), done] },
  "bash-failing": { replies: [bash("echo oops >&2; exit 3"), done] },
  edit: {
    replies: [
      write,
      {
        toolCalls: [
          { name: "edit", input: { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] } },
        ],
      },
      done,
    ],
  },
  "parallel-tools": {
    replies: [
      {
        toolCalls: [
          { name: "bash", input: { command: "echo a" } },
          { name: "bash", input: { command: "echo b" } },
        ],
      },
      done,
    ],
  },
  "unknown-tool": { replies: [{ toolCalls: [{ name: "teleport", input: { to: "mars" } }] }, done] },
  "max-tokens": { replies: [{ text: "Cut sho", stopReason: "max_tokens" }] },
  "abort-in-text": {
    replies: [slow],
    on: (draft, connection) => draft.type === "delta" && connection.cancel(),
  },
  "abort-in-tool": {
    replies: [bash("sleep 60")],
    on: (draft, connection) => draft.type === "tool_call" && connection.cancel(),
  },
  "abort-in-retry": {
    replies: [failure(500, "it broke")],
    on: (draft, connection) => draft.subtype === "retry" && connection.cancel(),
  },
  "error-401": { replies: [failure(401, "bad key")] },
  "error-500": { replies: [failure(500, "it broke")] },
  "error-500-recovered": { replies: [[failure(500, "it broke"), done]] },
  "cut-stream": { replies: [[{ ...slow, chunkDelayMs: 20, cutAfterChunks: 4 }, done]] },
  steer: {
    replies: [bash("sleep 0.5"), done],
    on: (draft, connection) =>
      draft.type === "tool_call" && connection.steer({ text: "to the left" }),
  },
  "permission-allow": {
    permissions: "ask",
    replies: [write, done],
    on: (draft, connection) =>
      draft.type === "request" && connection.answer(draft.nativeId, { decision: "allow" }),
  },
  "permission-deny": {
    permissions: "ask",
    replies: [write, done],
    on: (draft, connection) =>
      draft.type === "request" &&
      connection.answer(draft.nativeId, { decision: "deny", text: "not today" }),
  },
  "multi-turn": { replies: [{ text: "Yes." }], prompts: ["go on", "go on again"] },
  resume: { replies: [{ text: "Yes." }], isResumed: true },
};

async function record(name, situation) {
  const root = await mkdtemp(join(tmpdir(), "record-pi-"));
  const model = await startScriptedModel([
    { when: "go on", replies: situation.replies },
    { when: "to the left", replies: [{ text: "Steered." }] },
  ]);
  try {
    for (const part of ["cwd", "state", "home"]) await mkdir(join(root, part));
    let resume;
    if (situation.isResumed) resume = await converse(root, "first", situation, model);
    await converse(root, "run", situation, model, resume);
    await save(name, await readFile(join(root, "run", "stdout"), "utf8"), root);
  } finally {
    await model.close();
    await rm(root, { recursive: true, force: true });
  }
}

async function converse(root, run, situation, model, resume) {
  const { api = "openai-chat", permissions = "allow-all", prompts = ["go on"] } = situation;
  await mkdir(join(root, run));
  const adapter = piAdapter({
    mode: "rpc",
    runtimesDir: runtimes ?? join(root, "home"),
    ...(runtimes && { bin: join(runtimes, "pi", "node_modules", ".bin", "pi") }),
    env: { PATH: process.env.PATH, HOME: join(root, "home") },
  });
  const connection = await adapter.connect({
    cwd: join(root, "cwd"),
    runDir: join(root, run),
    stateDir: join(root, "state"),
    host: createLocalHost(),
    permissions,
    plan: false,
    env: {},
    options: {},
    limits: Limits.parse({}),
    model: model.endpoint(api),
    ...(situation.reasoning && { reasoning: situation.reasoning }),
    ...(resume && { resume }),
  });
  const output = connection.output[Symbol.asyncIterator]();
  try {
    for (const text of prompts) {
      const sent = connection.ready().then(() => connection.send({ text }));
      await untilCompletion(output, (draft) => situation.on?.(draft, connection));
      await sent;
    }
    return (await connection.ready()).runtimeSessionId;
  } finally {
    await connection[Symbol.asyncDispose]();
    await output.return();
  }
}

async function untilCompletion(output, on) {
  while (true) {
    const { value: batch } = await output.next();
    for (const { drafts } of batch) {
      for (const draft of drafts) {
        if (draft.type === "completion") return;
        Promise.resolve(on(draft)).catch(() => {});
      }
    }
  }
}

/** Records the one-shot mode, whose first line is the header of the session. */
async function recordJson() {
  const root = await mkdtemp(join(tmpdir(), "record-pi-"));
  const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const providers = {
    halyard: { baseUrl, apiKey, api: "openai-completions", models: [{ id }] },
  };
  await writeFile(join(root, "models.json"), JSON.stringify({ providers }));
  const pi = new URL("../node_modules/.bin/pi", import.meta.url).pathname;
  const args = [
    "-p",
    "--mode",
    "json",
    "--no-session",
    "--provider",
    "halyard",
    "--model",
    id,
    "hi",
  ];
  const env = { PATH: process.env.PATH, HOME: root, PI_CODING_AGENT_DIR: root, PI_OFFLINE: "1" };
  const running = promisify(execFile)(pi, args, { cwd: root, env });
  running.child.stdin.end();
  const { stdout } = await running;
  await save("json-mode", stdout, root);
  await model.close();
  await rm(root, { recursive: true, force: true });
}

async function save(name, recording, root) {
  const lines = recording
    .trim()
    .split("\n")
    .map((line) => JSON.stringify(scrub(JSON.parse(line))));
  const text = `${lines.join("\n")}\n`.replaceAll(join(root, "cwd"), "/workspace");
  await writeFile(new URL(`${prefix}${name}.jsonl`, fixtures), text.replaceAll(root, "/workspace"));
}

const withoutPrompt = { role: "system", content: "" };

/**
 * Empties system prompts. Reduces the state of Pi to the fields that the adapter reads, because the other fields contain
 * ports of this machine.
 */
function scrub(message) {
  if (message.message?.role === "system") return { ...message, message: withoutPrompt };
  if (message.type === "agent_end") {
    const messages = message.messages.map((one) => (one.role === "system" ? withoutPrompt : one));
    return { ...message, messages };
  }
  if (message.command !== "get_state") return message;
  const { sessionId, isStreaming } = message.data;
  return { ...message, data: { sessionId, isStreaming } };
}

await mkdir(fixtures, { recursive: true });
for (const [name, situation] of Object.entries(situations)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await record(name, situation);
  process.stdout.write(`${name}\n`);
}
if (wanted.length === 0 || wanted.includes("json-mode")) await recordJson();
