#!/usr/bin/env node
/**
 * The fake agent: a real program with one JSON message per line on stdin and stdout, like a coding agent. A prompt is a
 * script of the commands in `work.mjs` and `faults.mjs`.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { run } from "./script.mjs";
import { forkSession, openSession } from "./session.mjs";
import { Turn } from "./turn.mjs";
import { emit, readMessages } from "./wire.mjs";

const { values: flags } = parseArgs({
  options: {
    /** The directory that contains the sessions. */
    state: { type: "string", default: "." },
    resume: { type: "string" },
    /** The conversation to copy: the path of its file, without the extension. */
    fork: { type: "string" },
    /** Request permission for tools. */
    ask: { type: "boolean", default: false },
    /** Reject tools that change something. */
    plan: { type: "boolean", default: false },
    /** A script to run before the first message is read. */
    startup: { type: "string", default: "" },
    model: { type: "string" },
    reasoning: { type: "string" },
    "system-prompt": { type: "string" },
  },
});

// Exits when the directory is removed, so that an agent that a test forgets does not keep running.
setInterval(() => existsSync(flags.state) || process.exit(), 5_000).unref();

const session =
  (flags.fork === undefined
    ? openSession(flags.state, flags.resume)
    : forkSession(flags.state, flags.fork)) ?? giveUp();

/** @type {Turn | undefined} */
let turn;

const fault = flags.startup && (await run(flags.startup, new Turn(session, flags)));
if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
for await (const message of readMessages(process.stdin)) {
  if (!session.isDeaf) receive(message);
}

function giveUp() {
  emit({ type: "no_session", sessionId: flags.resume ?? flags.fork });
  return process.exit(4);
}

/** @param {import("./wire.mjs").ClientMessage} message */
function receive(message) {
  switch (message.type) {
    case "hello":
      emit({ type: "ready", sessionId: session.id, resumable: session.prompts.length > 0 });
      break;
    case "prompt":
      if (turn) emit({ type: "refused", id: message.id, reason: "a turn is running" });
      else void work(message);
      break;
    case "compact":
      emit({ type: "accepted", id: message.id });
      session.compact();
      emit({ type: "compacted" });
      emit({ type: "done", status: "completed", usage: { input: 7, output: 1 } });
      break;
    case "commands":
      emit({ type: "commands", id: message.id, names: ["say", "think"] });
      break;
    case "steer":
      if (turn) turn.steer(message);
      else emit({ type: "refused", id: message.id, reason: "no turn is running" });
      break;
    case "cancel":
      turn?.cancel();
      break;
    case "set":
      Object.assign(flags, message.flags);
      emit({ type: "accepted", id: message.id });
      break;
    case "answer":
      turn?.answer(message);
      break;
  }
}

/** @param {import("./wire.mjs").Input} input */
async function work({ id, text, images = [] }) {
  emit({ type: "accepted", id });
  session.remember(text);
  turn = new Turn(session, flags);
  turn.images.push(...images);
  turn.usage.input = text.split(/\s+/).length;
  const error = await run(text, turn);
  turn.end(error);
  turn = undefined;
}
