import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Session } from "../../contracts/halyard.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { repliesIn } from "../replies.ts";
import { collect, type OpenFixture, startFake, until, untilReply } from "./fixture.ts";

/** Tests stopping a session by its id. */
export function describeStopping(open: OpenFixture): void {
  describe("stop by id", () => {
    test("ends the turn and the runtime once, and stores the reason", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture);
      const turn = session.send("say a; wait");
      await untilReply(turn);
      await Promise.all([halyard.stop(session.id, "enough"), halyard.stop(session.id, "enough")]);
      expect(await turn.outcome).toMatchObject({ status: "cancelled", text: "a" });
      await halyard.stop(session.id, "too late");
      expect(await halyard.find(session.id)).toMatchObject({ state: "stopped", reason: "enough" });
      expect(await halyard.processes()).toEqual([]);
      const events = await collect(halyard.events(session.id, { follow: false }));
      expect(events.filter((event) => "subtype" in event && isEnd(event))).toHaveLength(1);
    });

    test("stops a detached session and keeps its last output", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say before; stream 300; tool write said.txt yes; wait");
      await untilReply(turn);
      await session.detach();
      await expect.poll(() => existsSync(join(fixture.cwd, "said.txt"))).toBe(true);
      const other = await fixture.again();
      await other.stop(session.id, "enough");
      const events = await collect(other.events(session.id, { follow: false }));
      const said = repliesIn(events);
      expect(said).toEqual(["before", [...Array(300).keys()].join(" ")]);
      expect(await other.find(session.id)).toMatchObject({ state: "stopped", reason: "enough" });
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      expect(await other.processes()).toEqual([]);
    });

    test("stops a session that is being detached", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      for (const stop of [
        (session: Session) => session.stop("enough"),
        ({ id }: Session) => halyard.stop(id, "enough"),
      ]) {
        const session = await startFake(fixture);
        const detaching = session.detach();
        await stop(session);
        await detaching;
        expect(await halyard.find(session.id)).toMatchObject({ state: "stopped" });
        expect(await halyard.processes()).toEqual([]);
      }
    });

    test("stops a session that cannot be resumed because its directory was deleted", async () => {
      await using fixture = await open();
      const cwd = join(fixture.cwd, "gone");
      await mkdir(cwd);
      const session = await startFake(fixture, { cwd });
      const turn = session.send("wait");
      await until(turn, "system");
      await session.detach();
      await rm(cwd, { recursive: true });
      const other = await fixture.again();
      await expect(other.resume(session.id)).rejects.toMatchObject({ code: "invalid_input" });
      await other.stop(session.id, "enough");
      expect(await other.find(session.id)).toMatchObject({ state: "stopped", reason: "enough" });
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      expect(await other.processes()).toEqual([]);
    });

    test("marks a session as lost if its runtime has exited", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say something to come back to").outcome;
      const { pid = 0 } = session.info;
      await session.detach();
      process.kill(pid, "SIGKILL");
      const other = await fixture.again();
      // Waits until the process is gone: an exiting process no longer shows the environment that `processes` reads.
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 20_000);
      expect(await other.processes()).toEqual([]);
      await other.stop(session.id, "enough");
      expect(await other.find(session.id)).toMatchObject({ state: "lost" });
      const openings = (await collect(other.events(session.id, { follow: false }))).filter(
        (event) => event.type === "system" && event.subtype === "session_started",
      );
      expect(openings).toHaveLength(1);
    });

    test("rejects an unknown session", async () => {
      await using fixture = await open();
      const stopping = fixture.halyard.stop(newSessionId());
      await expect(stopping).rejects.toMatchObject({ code: "session_not_found" });
    });

    test("rejects a session that another process owns", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const stopping = (await fixture.again()).stop(session.id);
      await expect(stopping).rejects.toMatchObject({ code: "session_owned" });
      expect(await session.send("say still here").outcome).toMatchObject({ text: "still here" });
    });
  });
}

function isEnd({ subtype }: { subtype?: string }): boolean {
  return subtype === "session_stopped";
}
