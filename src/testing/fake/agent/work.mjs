import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { emit } from "./wire.mjs";

/**
 * Commands that behave as an agent should.
 * @type {import("./script.mjs").Commands}
 */
export const work = {
  /** say TEXT: replies word by word. */
  say: (turn, text) => turn.say(text),
  /** think [TEXT]: writes reasoning. */
  think: (turn, text) => turn.say(text || "Let me think.", "thinking"),
  /** stream N: replies with N numbers. */
  stream: (turn, count) => turn.say([...Array(Number(count)).keys()].join(" ")),
  /** tick N MS: writes the monotonic time in nanoseconds, N times, every MS milliseconds. */
  tick: async (turn, text) => {
    const [count = 0, pauseMs = 0] = text.split(" ").map(Number);
    const messageId = turn.newId();
    for (let left = count; left > 0 && !turn.signal.aborted; left--) {
      turn.delta(messageId, `${process.hrtime.bigint()} `);
      if (left > 1) await setTimeout(pauseMs);
    }
  },
  /** recall: replies with the session's first prompt. */
  recall: (turn) => turn.say(turn.session.prompts[0] ?? "nothing"),
  /** images: replies with the type and hash of each of the prompt's images. */
  images: async (turn) =>
    turn.say((await Promise.all(turn.images.map(describeImage))).join(" ") || "none"),
  /** json A | B | …: replies with A, and with B to a correction. Ignores the lines after the first. */
  json: (turn, text) => {
    const [first = ""] = text.split("\n");
    turn.session.answers = first.split(" | ");
    turn.say(turn.session.answers.shift() ?? "");
  },
  /** Your …: replies to a correction, which starts with this word. */
  Your: (turn) => turn.say(turn.session.answers.shift() ?? "no more answers"),
  /** count TEXT: replies with the length of the text. */
  count: (turn, text) => turn.say(`${text.length} characters`),
  /** echo-env NAME: replies with the value of an environment variable. */
  "echo-env": (turn, name) => turn.say(process.env[name] ?? "unset"),
  /** echo-args: replies with the agent's arguments. */
  "echo-args": (turn) => turn.say(process.argv.slice(2).join(" ")),
  /** stderr TEXT: writes the text to stderr. */
  stderr: (_turn, text) => process.stderr.write(`${text}\n`),

  /** tool write FILE CONTENT, tool read FILE: writes or reads a file. */
  tool: (turn, text) => {
    const [name = "", file = "", ...words] = text.split(" ");
    const content = words.join(" ");
    if (name === "read")
      return turn.useTool(name, { file }, () => ({ output: readFileSync(file, "utf8") }), {
        harmless: true,
      });
    return turn.useTool("write", { file, content }, () => overwrite(file, content));
  },
  /** sh COMMAND: runs a shell command as a tool. */
  sh: (turn, command) => turn.useTool("shell", { command }, () => shell(command, turn.signal)),
  /** flag NAME: replies with the current value of a flag. */
  flag: (turn, name) => turn.say(String(turn.flags[name])),

  /** ask: requests permission, regardless of the flags, and replies with the decision. */
  ask: async (turn) => {
    const launch = () => ({ output: "launched" });
    const { isError } = await turn.useTool("launch", {}, launch, { ask: true });
    turn.say(isError ? "denied" : "allowed");
  },
  /** question TEXT: asks a question and replies with the answer. */
  question: async (turn, text) => {
    const options = ["yes", "no"].map((id) => ({ id, label: id, decision: "allow" }));
    const answer = await turn.ask({ kind: "question", text, options });
    turn.say(answer?.text ?? answer?.optionId ?? answer?.decision ?? "no answer");
  },

  /** wait: waits for a steered message or a cancel. */
  wait: (turn) => turn.interrupted(),
  /** retry TEXT: writes half of the reply, reports a retry, and writes the whole reply. */
  retry: (turn, text) => {
    turn.delta(turn.newId(), text.slice(0, text.length / 2));
    emit({ type: "retry", reason: "the stream was cut" });
    turn.say(text);
  },
  /** limited SECONDS: fails the turn with a usage limit the first time in a session, and succeeds afterwards. */
  limited: (turn, seconds) => {
    const isFirst = turn.session.prompts.filter((prompt) => prompt.includes("limited ")).length < 2;
    if (isFirst) throw new Error(`Usage limit reached. Try again in ${seconds}s.`);
  },
  /** spend TOKENS: reports a model request that used this number of input tokens. */
  spend: (turn, tokens) => {
    turn.usage.input += Number(tokens);
    emit({ type: "usage", usage: turn.usage });
  },
  /** Continue …: replies to the message that continues an interrupted turn. */
  Continue: (turn) => turn.say("continued"),
  /** fail TEXT: fails the turn with this error. */
  fail: (_turn, text) => {
    throw new Error(text);
  },
};

/**
 * @param {string} file
 * @param {string} content
 */
function overwrite(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return { output: `wrote ${file}` };
}

/**
 * @param {string} command
 * @param {AbortSignal} signal
 * @returns {Promise<import("./turn.mjs").ToolResult>}
 */
async function shell(command, signal) {
  const { execFile } = await import("node:child_process"); // loaded on demand: most agents run no command and start faster without it
  const options = { signal, maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", command], options, (error, stdout, stderr) => {
      const exitCode = error ? error.code : 0;
      const output = `${stdout}${stderr}`;
      resolve(
        typeof exitCode === "number"
          ? { output, exitCode, isError: exitCode !== 0 }
          : { output, isError: true },
      );
    });
  });
}

/** @param {import("./wire.mjs").Image} image */
async function describeImage({ mediaType, data }) {
  const { createHash } = await import("node:crypto");
  const content = Buffer.from(data, "base64");
  return `${mediaType}:${createHash("sha256").update(content).digest("hex")}`;
}
