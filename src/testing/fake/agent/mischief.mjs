import { execFileSync, spawn } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { emit, write } from "./wire.mjs";

/**
 * What agents do as well.
 * @type {import("./script.mjs").Commands}
 */
export const mischief = {
  /** die [CODE or SIGNAL] */
  die: async (_turn, how) => {
    if (!how.startsWith("SIG")) process.exit(Number(how || 1));
    process.kill(process.pid, how);
    await forever();
  },
  /** hang [tool]: never says another word, not even when cancelled; `tool`: in the middle of a call. */
  hang: async (turn, text) => {
    if (text) emit({ type: "tool", id: turn.newId("c"), name: text, input: {} });
    await forever();
  },
  /** deaf: hears no further message. */
  deaf: (turn) => turn.session.deafen(),
  /** forget: goes on as another session. */
  forget: (turn) => turn.session.forget(),
  "ignore-sigterm": () => process.on("SIGTERM", () => {}),
  /** hoard MEGABYTES: keeps so much memory to itself, a little at a time. */
  hoard: async (_turn, megabytes) => {
    const hoard = [];
    while (hoard.length < Number(megabytes)) {
      hoard.push(Buffer.alloc(2 ** 20, 1));
      await setImmediate();
    }
  },
  /** grandchild: leaves two processes running, an orphan and one in a session of its own, and says their pids. */
  grandchild: (turn) => turn.say(`${leaveOrphan()} ${leaveDaemon()}`),

  /** flood N [slow]: says so many numbers as fast as it can; slow: with a write for each. */
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
  /** garbage: lines that are no messages. */
  garbage: () => write('Warning: this is no JSON\n\n  \n{"cut":\n42\n'),
  /** half-line: a message without its end. */
  "half-line": (turn) => write(`{"type":"text","messageId":"${turn.newId()}","te`),
  /** long-line BYTES: a message with so much text. */
  "long-line": (turn, bytes) => {
    const text = "x".repeat(Number(bytes));
    emit({ type: "message", channel: "text", messageId: turn.newId(), text });
  },
  /** bad-utf8: a message with a byte that belongs to no character. */
  "bad-utf8": (turn) => {
    const line = JSON.stringify({ type: "text", messageId: turn.newId(), text: "a bad ? byte" });
    const bytes = Buffer.from(`${line}\n`);
    bytes[bytes.indexOf("?")] = 0xff;
    write(bytes);
  },
  /** future: a message of a kind that nobody knows yet. */
  future: () => emit({ type: "hologram", shape: "cube" }),

  /** no-end: the turn ends, but the agent does not say so. */
  "no-end": (turn) => {
    turn.endings = 0;
  },
  /** double-end: it says so twice. */
  "double-end": (turn) => {
    turn.endings = 2;
  },
  /** late: it says something more after that. */
  late: (turn) => {
    turn.lastWords = "too late";
  },
};

async function forever() {
  setInterval(() => {}, 2 ** 30); // without anything to do, Node would end the program
  await new Promise(() => {});
}

/** In our process group, its parent gone. */
function leaveOrphan() {
  const script = `sleep ${LEFT_FOR_SECONDS} >/dev/null 2>&1 & echo $!`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).trim();
}

function leaveDaemon() {
  const script = `exec sleep ${LEFT_FOR_SECONDS}`;
  const daemon = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  daemon.unref();
  return daemon.pid;
}

const LEFT_FOR_SECONDS = 300;
