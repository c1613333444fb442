import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../async/deferred.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { PositionedEvent } from "../contracts/store.ts";
import { createHalyard } from "../create-halyard.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { collect, newFixture } from "../testing/halyard/fixture.ts";
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

test("lists, finds and searches the sessions on all machines, newest first, and reports an unreachable machine only once", async () => {
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

test("ranks the hits of all machines by relevance if the caller requests this order", async () => {
  const { joined, start } = await newJoined();
  const [near, far] = [await start(), await start("far")];
  await (await joined.resume(far)).send("say needle needle needle").outcome;
  await (await joined.resume(near)).send("say needle").outcome;
  const first = async (order: "newest" | "relevance") =>
    (await joined.search("needle", { order, limit: 1 })).hits.map(({ sessionId }) => sessionId);
  expect([await first("newest"), await first("relevance")]).toEqual([[near], [far]]);
});

test("follows the events of all machines, and continues after a position without a gap or a repetition", async () => {
  const { joined, start } = await newJoined();
  const [near, far] = [await start(), await start("far")];
  const read = async (options: FollowOptions) => collect(joined.allEvents(options));
  const key = ({ event }: PositionedEvent) => `${event.sessionId} ${event.seq}`;
  const all = await read({ follow: false });
  const logs = [];
  for (const id of [near, far])
    for await (const { seq } of joined.events(id, { follow: false })) logs.push(`${id} ${seq}`);
  expect(all.map(key).sort()).toEqual(logs.sort());
  for (const at of [0, 5, all.length - 1]) {
    const rest = await read({ after: all[at]?.position ?? 0, follow: false });
    expect(rest.map(key).sort()).toEqual(
      all
        .slice(at + 1)
        .map(key)
        .sort(),
    );
  }
  const after = await joined.position();
  expect(await read({ after, follow: false })).toEqual([]);
  const news: string[] = [];
  const sent = (await joined.session(far)).send("say news").outcome;
  for await (const { event } of joined.allEvents({ after })) {
    news.push(event.sessionId);
    if (event.type === "completion") break;
  }
  await sent;
  expect(new Set(news)).toEqual(new Set([far]));
});

test("delivers the last events of a machine again if another instance returned the position", async () => {
  const { joined, reopen, start } = await newJoined();
  const far = await start("far");
  const after = await joined.position();
  const again = await collect(reopen().allEvents({ after, follow: false }));
  expect(again.map(({ event }) => event.sessionId)).toContain(far);
});

test("omits a machine that does not respond within 2 s, reports it once, and lists its sessions again when it responds", async () => {
  const { joined, start, far, reported } = await newJoined();
  await start("far");
  expect(await joined.sessions()).toHaveLength(1);
  const block = createDeferred<void>();
  far.isBlocked = block.promise;
  for (const reports of [1, 1]) {
    const startedAt = performance.now();
    expect(await joined.sessions()).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(reported.map(({ host }) => host)).toEqual(Array(reports).fill("far"));
  }
  expect(reported[0]?.reason).toContain("far does not respond: no answer within 2 s");
  block.resolve();
  expect(await joined.sessions()).toHaveLength(1);
});

/** Joins this machine with a machine named `far`, whose list of sessions can be blocked. */
async function newJoined() {
  const root = await temporaryDirectory();
  const [own, remote] = [await open(join(root, "near")), await open(join(root, "far"))];
  const far: { isBlocked: Promise<void> | undefined } = { isBlocked: undefined };
  const reached = new Proxy(remote, {
    get(target, name) {
      if (name === "sessions")
        return async (...filter: Parameters<Halyard["sessions"]>) => {
          await far.isBlocked;
          return target.sessions(...filter);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const reported: { host: string; reason: string }[] = [];
  const reopen = () =>
    new JoinedHalyard(own, [{ name: "far", reach: async () => reached }], {
      retries: true,
      onUnreachable: (host, problem) => reported.push({ host, reason: reasonOf(problem) }),
    });
  const joined = reopen();
  onTestFinished(() => joined[Symbol.asyncDispose]());
  const start = async (on?: string): Promise<string> => {
    const request = { runtime: "fake", cwd: root, permissions: "allow-all" } as const;
    const session = await joined.start({ ...request, ...(on !== undefined && { on }) });
    await session.send("say needle").outcome;
    return session.id;
  };
  return { joined, reopen, start, far, reported };
}
