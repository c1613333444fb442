import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";

test("prints hits below their session, with the words highlighted", async () => {
  const user = await newUser({ FORCE_COLOR: "1" });
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  const session = await local.start({ runtime: "fake", cwd, name: "api" });
  await session.send("say the lighthouse\u001b[2J").outcome;
  const { stdout, exitCode } = await runWarm(user, ["search", "lighthouse", "the"]);
  expect(exitCode).toBe(0);
  const [heading, first, second, ...rest] = stdout.split("\n");
  expect(heading).toMatch(`\u001b[1m${session.id}\u001b[22m  api\u001b[2m  fake, `);
  const paint = (text: string) => `\u001b[1m\u001b[33m${text}\u001b[39m\u001b[22m`;
  const words = `${paint("the")} ${paint("lighthouse")}\\e[2J`;
  expect(first).toMatch(/assistant:/);
  expect(first?.endsWith(` ${words}`)).toBe(true);
  expect(second).toMatch(/user:/);
  expect(second?.endsWith(` say ${words}`)).toBe(true);
  expect(rest).toEqual([""]);
});

test("prints JSON lines, filters by session, runtime and directory, and sorts by relevance", async () => {
  const user = await newUser();
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  const session = await local.start({ runtime: "fake", cwd, name: "api" });
  await session.send("say lighthouse").outcome;
  const { hits } = await local.search("lighthouse");
  expect(hits).toHaveLength(2);
  const found = async (...flags: string[]) => {
    const { stdout } = await runWarm(user, ["search", "lighthouse", "--format", "json", ...flags]);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  };
  expect(await found()).toEqual(hits);
  expect(await found("--session", "api", "--cwd", ".", "-n", "1")).toEqual(hits.slice(0, 1));
  expect(await found("--runtime", "codex")).toEqual([]);
  const ranked = (await local.search("lighthouse", { order: "relevance" })).hits;
  expect(await found("--order", "relevance")).toEqual(ranked);
  expect(ranked[0]?.score).toBeGreaterThan(ranked[1]?.score ?? Number.POSITIVE_INFINITY);
  expect(await runWarm(user, ["search", "--session", "other", "x"])).toMatchObject({ exitCode: 4 });
  expect(await runWarm(user, ["search", 'none of "these'])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "Nothing matches.\n",
  });
});
