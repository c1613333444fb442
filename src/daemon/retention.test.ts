import { expect, test } from "vitest";
import { createDeferred } from "../async/deferred.ts";
import { createHalyard } from "../create-halyard.ts";
import type { Retention } from "../schema/session/retention.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { startRetention } from "./retention.ts";

test.each([
  [{ olderThan: "0d", keep: 1 }, /^removed 1 sessions older than 0d, \d+ bytes$/],
  [new Error("config.json: broken"), /^could not remove old sessions: config.json: broken$/],
])(
  "applies a retention rule, or logs why it cannot be read: %j",
  async (rule: Retention | Error, expected) => {
    const home = await temporaryDirectory();
    await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    for (const name of ["old", "new"]) {
      const session = await halyard.start({ runtime: "fake", cwd: home, name });
      await session.stop();
    }
    const logged = createDeferred<string>();
    await using _retention = startRetention(halyard, {
      retention: async () => {
        if (rule instanceof Error) throw rule;
        return rule;
      },
      log: (text) => logged.resolve(text),
      firstMs: 0,
    });
    expect(await logged.promise).toMatch(expected);
    const names = (await halyard.sessions()).map(({ name }) => name);
    expect(names).toEqual(rule instanceof Error ? ["new", "old"] : ["new"]);
  },
);
