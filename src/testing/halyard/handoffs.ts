import { readFile, stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { newSessionId } from "../../errors/require-id.ts";
import { type OpenFixture, startFake } from "./fixture.ts";

/** Tests sessions that continue the work of another session. */
export function describeHandoffs(open: OpenFixture): void {
  describe("handoff", () => {
    test("records the old session, and passes its log to the agent as a file if the runtime does not support MCP", async () => {
      await using fixture = await open();
      const old = await startFake(fixture);
      await old.send("say the secret word is heron").outcome;
      await old.stop();
      const session = await startFake(fixture, { handedOffFrom: old.id });
      const { handoff } = session.info;
      expect(handoff).toEqual({ from: old.id, log: { file: expect.any(String) } });
      const file = handoff && "file" in handoff.log ? handoff.log.file : "";
      expect(await readFile(file, "utf8")).toMatch(/assistant\n\nthe secret word is heron\n/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(session.info).not.toHaveProperty("parent");
      await session.stop();
      const again = await (await fixture.again()).find(session.id);
      expect(again?.handoff).toEqual(handoff);
      await fixture.halyard.remove(session.id);
      await expect(stat(file)).rejects.toThrow("ENOENT");
    });

    test("rejects a handoff from an unknown session", async () => {
      await using fixture = await open();
      await expect(startFake(fixture, { handedOffFrom: newSessionId() })).rejects.toMatchObject({
        code: "session_not_found",
      });
      expect(await fixture.halyard.sessions()).toEqual([]);
    });
  });
}
