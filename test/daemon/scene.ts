import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, vi } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { connectHalyard } from "../../src/client/index.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { findDaemon } from "../../src/daemon/find.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { killProcessesIn } from "../cli/processes.ts";
import { runWarm } from "../cli/run-warm.ts";
import { newUser, type User } from "../cli/start-cli.ts";

/** Creates a user whose processes, including daemons and agents, are killed when the test finishes. */
export async function newDaemonUser(env: Readonly<Record<string, string>> = {}): Promise<User> {
  const user = await newUser(env);
  onTestFinished(async () => {
    for (const directory of [user.home, user.cwd]) await killProcessesIn(directory);
  });
  return user;
}

export interface FakeDaemonOptions {
  /** A command, with its arguments, that runs the command line of the daemon. Defaults to none. */
  readonly by?: readonly string[];
  readonly version?: string;
  readonly idleSeconds?: number;
}

/** A daemon with the fake runtime. */
export interface FakeDaemon {
  readonly process: ChildProcess;
  /** The CPU time until the daemon responded, in milliseconds. It does not depend on the load of the machine. */
  readonly startMs: number;
  /** Sends a signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const program = fileURLToPath(new URL("fake-daemon.mjs", import.meta.url));

/** Starts a fake daemon. Resolves when it responds. */
export async function startFakeDaemon(
  { home, env }: User,
  { version = packageJson.version, idleSeconds = 0, by = [] }: FakeDaemonOptions = {},
): Promise<FakeDaemon> {
  const command = [...by, process.execPath, program, version, String(idleSeconds)];
  const [file = "", ...args] = command;
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const ready = once(child.stdout, "data");
  const failed = exited.then(([code]) =>
    Promise.reject(new Error(`The daemon of ${home} exited with ${code}.`)),
  );
  const [said] = await Promise.race([ready, failed]);
  failed.catch(() => {}); // the promise may also reject when the daemon exits later
  return {
    process: child,
    startMs: Number(said),
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** Connects to the daemon, as another program would. */
export async function connectTo({ home }: User): Promise<Halyard> {
  const daemon = await findDaemon(home);
  if (!daemon) throw new Error("No daemon responds.");
  const connected = await connectHalyard(daemon);
  onTestFinished(() => connected[Symbol.asyncDispose]());
  return connected;
}

/** Starts a session of the fake runtime with the CLI and returns its id. */
export async function startSession(
  user: User,
  prompt: string,
  options: readonly string[] = ["--permissions", "allow-all"],
): Promise<SessionId> {
  const { stdout, stderr } = await runWarm(user, [
    "start",
    "--runtime",
    "fake",
    ...options,
    prompt,
  ]);
  if (!stdout.startsWith("ses_")) throw new Error(`The session did not start: ${stdout}${stderr}`);
  return stdout.trim() as SessionId;
}

/** Returns all stored events of a session. */
export function readLog(halyard: Halyard, sessionId: SessionId): Promise<StreamEvent[]> {
  return collect(halyard.events(sessionId, { follow: false }));
}

/** Resolves with the first event that matches. Rejects if the session ends first. */
export async function untilEvent(
  halyard: Halyard,
  sessionId: SessionId,
  isSo: (event: StreamEvent) => boolean,
): Promise<StreamEvent> {
  for await (const event of halyard.events(sessionId)) if (isSo(event)) return event;
  throw new Error("The session ended before a matching event.");
}

/** Waits until the recording of a session contains a text. Works without a daemon. */
export async function untilSaid(home: string, id: SessionId, text: string): Promise<void> {
  const recording = join(home, "run", id, "stdout");
  await vi.waitFor(async () => expect(await readFile(recording, "utf8")).toContain(text), WAIT_MS);
}

/** A limit that is long enough for a busy machine. */
const WAIT_MS = 20_000;

/** Returns the violations of the guarantees that hold for every log, even after a crash. */
export function faultsOf(events: readonly StreamEvent[]): string[] {
  const faults: string[] = [];
  for (const [index, { seq }] of events.entries())
    if (seq !== index + 1) faults.push(`event ${index + 1} has the seq ${seq}`);
  const began = new Map<string, number>();
  const ended = new Map<string, number>();
  const spoken = new Map<string, string>();
  for (const event of events) {
    const { turnId = "" } = event;
    if (event.type === "system" && event.subtype === "turn_started") count(began, turnId);
    if (event.type === "completion") count(ended, turnId);
    if (isMove(event)) spoken.clear(); // after a move to another machine, the runtime resumes from an earlier turn and may reuse message ids
    if (event.type === "delta")
      spoken.set(event.messageId, `${spoken.get(event.messageId) ?? ""}${event.text}`);
    if (event.type === "message" && (spoken.get(event.messageId) ?? event.text) !== event.text)
      faults.push(`the deltas of ${event.messageId} do not add up`);
  }
  for (const [turnId, times] of began) {
    if (times !== 1) faults.push(`${turnId} began ${times} times`);
    if (ended.get(turnId) !== 1) faults.push(`${turnId} ended ${ended.get(turnId) ?? 0} times`);
  }
  return faults;
}

/** True if another machine continues the session. */
export function isMove(event: StreamEvent): boolean {
  const isStatus = event.type === "system" && event.subtype === "status";
  return isStatus && event.text?.startsWith("Continues on ") === true;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
