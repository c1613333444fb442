import { setImmediate } from "node:timers/promises";
import { emit, write } from "./wire.mjs";

/**
 * Commands that make the agent misbehave.
 * @type {import("./script.mjs").Commands}
 */
export const faults = {
  /** die [CODE or SIGNAL]: exits with a code, which defaults to 1, or kills itself with a signal. */
  die: async (_turn, how) => {
    if (!how.startsWith("SIG")) process.exit(Number(how || 1));
    process.kill(process.pid, how);
    await forever();
  },
  /** hang [TOOL]: writes nothing more, even after a cancel. With TOOL, hangs during a call of this tool. */
  hang: async (turn, text) => {
    if (text) emit({ type: "tool", id: turn.newId("c"), name: text, input: {} });
    await forever();
  },
  /** deaf: ignores all further messages. */
  deaf: (turn) => turn.session.deafen(),
  /** forget: continues as another session. */
  forget: (turn) => turn.session.forget(),
  "ignore-sigterm": () => process.on("SIGTERM", () => {}),
  /** hoard MEGABYTES: allocates memory in small steps. */
  hoard: async (_turn, megabytes) => {
    const hoard = [];
    while (hoard.length < Number(megabytes)) {
      hoard.push(Buffer.alloc(2 ** 20, 1));
      await setImmediate();
    }
  },
  /** grandchild: starts an orphan and a process in another process group, and replies with their pids. */
  grandchild: async (turn) => turn.say(`${await leaveOrphan()} ${await leaveDaemon()}`),

  /** flood N [slow]: writes N numbers as fast as possible; slow: with one write per number. */
  flood: async (turn, text) => {
    const [count = 0, pace] = text.split(" ");
    const messageId = turn.newId();
    const atOnce = pace === "slow" ? 1 : 1000;
    let next = 0;
    while (next < Number(count) && !turn.signal.aborted) {
      let lines = "";
      const stop = Math.min(Number(count), next + atOnce);
      for (; next < stop; next++)
        lines += `{"type":"text","messageId":"${messageId}","text":"${next} "}\n`;
      write(lines);
      if (next % 1000 === 0) await setImmediate();
    }
    turn.usage.output += next;
  },
  /** garbage: writes lines that are not messages. */
  garbage: () => write('Warning: this is no JSON\n\n  \n{"cut":\n42\n'),
  /** half-line: writes a truncated message. */
  "half-line": (turn) => write(`{"type":"text","messageId":"${turn.newId()}","te`),
  /** long-line BYTES: writes a message whose text has this length. */
  "long-line": (turn, bytes) => {
    const text = "x".repeat(Number(bytes));
    emit({ type: "message", channel: "text", messageId: turn.newId(), text });
  },
  /** bad-utf8: writes a message with an invalid byte. */
  "bad-utf8": (turn) => {
    const line = JSON.stringify({ type: "text", messageId: turn.newId(), text: "a bad ? byte" });
    const bytes = Buffer.from(`${line}\n`);
    bytes[bytes.indexOf("?")] = 0xff;
    write(bytes);
  },
  /** future: writes a message with an unknown type. */
  future: () => emit({ type: "hologram", shape: "cube" }),

  /** no-end: ends the turn without a completion. */
  "no-end": (turn) => {
    turn.endings = 0;
  },
  /** double-end: writes the completion twice. */
  "double-end": (turn) => {
    turn.endings = 2;
  },
  /** late: writes a message after the completion. */
  late: (turn) => {
    turn.lastWords = "too late";
  },
};

async function forever() {
  setInterval(() => {}, 2 ** 30); // keeps the process alive
  await new Promise(() => {});
}

/** Starts an orphan in the agent's process group, and returns its pid. */
async function leaveOrphan() {
  const { execFileSync } = await import("node:child_process");
  const script = `sleep ${LEFT_FOR_SECONDS} >/dev/null 2>&1 & echo $!`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).trim();
}

async function leaveDaemon() {
  const { spawn } = await import("node:child_process");
  const script = `exec sleep ${LEFT_FOR_SECONDS}`;
  const daemon = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  daemon.unref();
  return daemon.pid;
}

const LEFT_FOR_SECONDS = 300;
