import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isReply, repliesIn } from "../../src/testing/replies.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { halyard, type User } from "../cli/start-cli.ts";
import {
  connectTo,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  startSession,
  untilEvent,
} from "./scene.ts";

const HOUR_MS = 3_600_000;

/** Creates a user whose system time a test can shift. */
async function newClockUser(): Promise<{ user: User; setOff(ms: number): Promise<void> }> {
  const file = join(await temporaryDirectory(), "shift");
  const setOff = (ms: number) => writeFile(file, String(ms));
  await setOff(0);
  const clock = new URL("shifted-clock.mjs", import.meta.url);
  const user = await newDaemonUser({ CLOCK_SHIFT: file, NODE_OPTIONS: `--import=${clock}` });
  return { user, setOff };
}

describe("a system time that jumps back an hour", () => {
  test("changes neither the order of the log nor the outcome of the turn, even if the time jumps forward later", async () => {
    const { user, setOff } = await newClockUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say one; wait");
    const connected = await connectTo(user);
    const session = await connected.session(id);
    const jumps = [-HOUR_MS, HOUR_MS, 0];
    for (const [index, ms] of jumps.entries()) {
      await setOff(ms);
      const last = index === jumps.length - 1;
      const sent = session.send(last ? "say end" : `say ${index}; wait`, { delivery: "steer" });
      expect(await sent.accepted).toEqual({ status: "confirmed" });
      const said = last ? "end" : String(index);
      await untilEvent(connected, id, (event) => event.type === "message" && event.text === said);
    }
    const end = await untilEvent(connected, id, ({ type }) => type === "completion");
    expect(end).toMatchObject({ outcome: { status: "completed", text: "end" } });
    const log = await readLog(connected, id);
    expect(faultsOf(log)).toEqual([]);
    const times = log.map(({ at }) => Date.parse(at));
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(HOUR_MS); // proves that the time did jump
    const outcome = end.type === "completion" ? end.outcome : undefined;
    expect(outcome?.durationMs).toBeGreaterThanOrEqual(0);
    expect(outcome?.durationMs).toBeLessThan(HOUR_MS);
    expect((await halyard(user, ["sessions"])).stdout).toContain(id);
  });

  test("does not prevent the next daemon from continuing a turn, and no message is lost", async () => {
    const { user, setOff } = await newClockUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "say before; wait");
    await untilEvent(await connectTo(user), id, isReply);
    await halyard(user, ["send", id, "say next"]);
    await daemon.end("SIGKILL");
    await setOff(-HOUR_MS);
    await startFakeDaemon(user);
    await halyard(user, ["send", id, "--steer", "say after"]);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    const log = await readLog(await connectTo(user), id);
    expect(faultsOf(log)).toEqual([]);
    const said = repliesIn(log);
    expect(said).toEqual(["before", "after", "next"]);
  });

  test("does not extend the time limit of a request under the next daemon", async () => {
    const { user, setOff } = await newClockUser();
    const daemon = await startFakeDaemon(user);
    const limits = { requestMs: 2_000 };
    const { cwd } = user;
    const first = await connectTo(user);
    const session = await first.start({ runtime: "fake", cwd, permissions: "ask", limits });
    session.send("ask");
    await untilEvent(first, session.id, ({ type }) => type === "request");
    await daemon.end("SIGKILL");
    await setOff(-HOUR_MS);
    await startFakeDaemon(user);
    const again = await connectTo(user);
    const response = await untilEvent(again, session.id, ({ type }) => type === "response");
    expect(response).toMatchObject({ decision: "deny", by: "timeout" });
  });
});
