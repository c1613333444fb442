import { expect, test, vi } from "vitest";
import {
  connectTo,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  untilEvent,
} from "./scene.ts";

const SESSIONS = 10;

test("ten sessions that wait for a usage limit continue in different seconds, even after kill -9 of the daemon", async () => {
  const user = await newDaemonUser();
  const daemon = await startFakeDaemon(user);
  const first = await connectTo(user);
  const ids = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const request = { runtime: "fake", cwd: user.cwd, permissions: "allow-all" } as const;
      const session = await first.start({ ...request, onLimit: "wait" });
      session.send("limited 20; say done");
      return session.id;
    }),
  );
  const scheduled = await vi.waitFor(
    async () => {
      const sessions = await Promise.all(ids.map((id) => first.find(id)));
      const times = sessions.flatMap((info) => info?.waiting?.until ?? []);
      expect(times).toHaveLength(SESSIONS);
      return times.map((at) => Date.parse(at)).sort((a, b) => a - b);
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(new Set(scheduled.map((ms) => Math.floor(ms / 1000))).size).toBe(SESSIONS);
  await daemon.end("SIGKILL");
  // The limit resets while no daemon is running.
  const [firstMs = 0] = scheduled;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(firstMs), {
    timeout: 60_000,
    interval: 100,
  });
  const restartedMs = Date.now();
  await startFakeDaemon(user);
  const second = await connectTo(user);
  const continued = await Promise.all(
    ids.map(async (id) => {
      await untilEvent(second, id, ({ type }) => type === "completion");
      const log = await readLog(second, id);
      expect(faultsOf(log)).toEqual([]);
      const event = log.find(({ type, ...more }) => {
        return type === "system" && "subtype" in more && more.subtype === "turn_continued";
      });
      return Date.parse(event?.at ?? "");
    }),
  );
  // A timer never fires early: the second session continues at least a second after the first could, and so on.
  for (const [index, ms] of continued.sort((a, b) => a - b).entries())
    expect(ms).toBeGreaterThanOrEqual(restartedMs + (index - 1) * 1000);
});
