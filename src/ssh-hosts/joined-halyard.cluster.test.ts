import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { newFixture } from "../testing/halyard/fixture.ts";
import { describeHalyard } from "../testing/halyard/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { JoinedHalyard } from "./joined-halyard.ts";

const open = (home: string) => createHalyard({ home, env: {}, adapters: [fakeAdapter()] });

describeHalyard("Halyard joined with another machine", () =>
  newFixture(async (home) => {
    let far: Promise<Halyard> | undefined;
    const reach = () => {
      far ??= open(join(home, "far"));
      return far;
    };
    return new JoinedHalyard(await open(home), [{ name: "far", reach }], {
      onUnreachable: (_, problem) => {
        throw problem;
      },
    });
  }),
);

test("lists, finds and searches the sessions on all machines, newest first, and reports each lost machine once", async () => {
  const root = await temporaryDirectory();
  const near = await open(join(root, "near"));
  const far = await open(join(root, "far"));
  const reported: string[] = [];
  const gone = () => Promise.reject(new HalyardError("unreachable", "gone does not respond"));
  const joined = new JoinedHalyard(
    near,
    [
      { name: "far", reach: async () => far },
      { name: "gone", reach: gone },
    ],
    { onUnreachable: (host) => reported.push(host) },
  );
  onTestFinished(() => joined[Symbol.asyncDispose]());
  const request = { runtime: "fake", cwd: root, permissions: "allow-all" } as const;
  const ids: string[] = [];
  for (const on of [undefined, "far", undefined, "far"]) {
    const session = await joined.start({ ...request, ...(on !== undefined && { on }) });
    await session.send("say needle").outcome;
    expect(session.info.machine).toBe(on);
    ids.unshift(session.id);
  }
  const idsOf = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);
  expect(idsOf(await joined.sessions())).toEqual(ids);
  expect(idsOf(await joined.sessions({ offset: 1, limit: 2 }))).toEqual(ids.slice(1, 3));
  expect((await joined.find(ids[0] ?? ""))?.machine).toBe("far");
  const { hits } = await joined.search("needle", { limit: 3 });
  expect(hits).toHaveLength(3);
  await expect(joined.start({ ...request, on: "gone" })).rejects.toMatchObject({
    code: "unreachable",
  });
  expect(reported).toEqual(["gone"]);
});
