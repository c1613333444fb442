import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { repliesIn } from "../../src/testing/replies.ts";
import { canRelease } from "../hosts/can-release.ts";
import {
  connectTo,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  startSession,
  untilEvent,
} from "./scene.ts";

const MIB = 1024 * 1024;

/** A prompt that makes the agent write a little more than 5 MB. */
const FLOOD = "flood 100000";

describe.skipIf(!(await canRelease()))(
  "a long session (if the file system supports fallocate with holes)",
  () => {
    test("keeps only the part of the recording that the turn needs, and survives kill -9 of the daemon", async () => {
      const user = await newDaemonUser();
      const daemon = await startFakeDaemon(user);
      const id = await startSession(user, FLOOD);
      const first = await connectTo(user);
      const session = await first.session(id);
      for (let turn = 0; turn < 3; turn++) await session.send(FLOOD).outcome;
      session.send("stream 500; wait; say the end");
      await untilEvent(first, id, (event) => event.type === "delta" && event.text === " 499");
      const recording = join(user.home, "run", id, "stdout");
      const spaceOf = async () => (await stat(recording)).blocks * 512;
      await eventually(async () => expect(await spaceOf()).toBeLessThan(6 * MIB));
      expect((await stat(recording)).size).toBeGreaterThan(16 * MIB);
      await daemon.end("SIGKILL");

      await startFakeDaemon(user);
      const again = await connectTo(user);
      const found = await again.session(id);
      expect(found.opened).toBe("attached");
      const { turn } = found.info;
      await found.send("say steered", { delivery: "steer" }).outcome;
      const log = await readLog(again, id);
      expect(faultsOf(log)).toEqual([]);
      const said = repliesIn(log.filter(({ turnId }) => turnId === turn?.id));
      expect(said).toEqual([[...Array(500).keys()].join(" "), "the end", "steered"]);
    });

    test("keeps the beginning and the latest output of a very long turn, which continues after kill -9 of the daemon", async () => {
      const user = await newDaemonUser();
      const daemon = await startFakeDaemon(user);
      const lines = Array.from({ length: 14 }, () => "long-line 8000000");
      const prompt = ["say first", ...lines, "stream 500", "wait", "say the end"].join("; ");
      const id = await startSession(user, prompt);
      const first = await connectTo(user);
      await untilEvent(first, id, (event) => event.type === "delta" && event.text === " 499");
      const recording = join(user.home, "run", id, "stdout");
      const spaceOf = async () => (await stat(recording)).blocks * 512;
      await eventually(async () => expect(await spaceOf()).toBeLessThan(85 * MIB));
      expect((await stat(recording)).size).toBeGreaterThan(105 * MIB);
      await daemon.end("SIGKILL");

      await startFakeDaemon(user);
      const again = await connectTo(user);
      const found = await again.session(id);
      expect(found.opened).toBe("attached");
      await found.send("say steered", { delivery: "steer" }).outcome;
      const log = await readLog(again, id);
      expect(faultsOf(log)).toEqual([]);
      const long = lines.map(() => "8000000 characters");
      const streamed = [...Array(500).keys()].join(" ");
      expect(
        repliesIn(log).map((text) => (text.startsWith("xxx") ? `${text.length} characters` : text)),
      ).toEqual(["first", ...long, streamed, "the end", "steered"]);
    });
  },
);
