import { describe, expect, test } from "vitest";
import { newSessionId } from "../../errors/require-id.ts";
import { type OpenFixture, startFake } from "./fixture.ts";

/** Tests the reports about screens and configuration. */
export function describeInspection(open: OpenFixture): void {
  describe("inspection", () => {
    test("explains a session's settings without starting the session", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const { settings, steps, warnings } = await halyard.explain({ cwd, runtime: "fake" });
      expect(settings).toEqual([
        { setting: "runtime", value: "fake", by: "request" },
        { setting: "model", value: "the runtime's own", by: expect.any(String) },
        {
          setting: "keys",
          value: "the runtime's own",
          by: "see: halyard runtime doctor fake",
        },
        { setting: "permissions", value: "ask", by: expect.any(String) },
        { setting: "host", value: "local", by: "default" },
      ]);
      expect(steps.filter(({ decided }) => decided)).toMatchObject([{ source: "request" }]);
      expect(warnings).toEqual([]);
      expect(await halyard.sessions()).toEqual([]);
    });

    test("rejects an explanation for a directory that does not exist", async () => {
      await using fixture = await open();
      const request = { cwd: `${fixture.cwd}/nowhere`, runtime: "fake" };
      await expect(fixture.halyard.explain(request)).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    test("rejects a screen request for a session without a screen, and for an unknown session", async () => {
      await using fixture = await open();
      const { id } = await startFake(fixture);
      await expect(fixture.halyard.screen(id)).rejects.toMatchObject({ code: "unsupported" });
      await expect(fixture.halyard.screen(newSessionId())).rejects.toMatchObject({
        code: "session_not_found",
      });
    });
  });
}
