import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { endedStates } from "../../schema/constants.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { sampleSession } from "../../testing/sample-session.ts";
import { displayWidth } from "../text/display-width.ts";
import { sessionTable } from "./sessions.ts";

test("names all states that can be resumed in the help of resume", async () => {
  const { stdout } = await runWarm(await newUser(), ["resume", "--help"]);
  for (const state of [...endedStates, "detached"])
    expect(stdout).toMatch(new RegExp(`^Resume a .*\\b${state}\\b.* session$`, "m"));
});

test("filters sessions by runtime, directory and label", async () => {
  const user = await newUser();
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  const labels = { team: "docs" };
  const { id } = await local.start({ runtime: "fake", cwd, labels });
  await local.stop(id);
  const list = async (...flags: string[]) => {
    const { stdout } = await runWarm(user, ["sessions", "--format", "json", ...flags]);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).id]));
  };
  expect(await list("--runtime", "fake", "--cwd", ".", "--label", "team=docs")).toEqual([id]);
  expect(await list("--runtime", "codex")).toEqual([]);
  expect(await list("--cwd", "/")).toEqual([]);
});

test("shows how each session's last turn ended, in color", async () => {
  const user = await newUser({ FORCE_COLOR: "1" });
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  const session = await local.start({ runtime: "fake", cwd, permissions: "allow-all" });
  await session.ready();
  expect(session.info.lastOutcome).toBeUndefined();
  for (const [prompt, sign] of [
    ["say hello", "1 \u001b[32m✓\u001b[39m"],
    ["fail on purpose", "2 \u001b[31m✗\u001b[39m"],
  ] as const) {
    await session.send(prompt).outcome;
    expect((await runWarm(user, ["sessions"])).stdout).toContain(sign);
  }
});

test.each([
  [200, "SESSION               RUNTIME  STATE    ACTIVE  TURNS  DIRECTORY"],
  [80, "SESSION               RUNTIME  STATE    ACTIVE  TURNS  DIRECTORY"],
  [50, "SESSION               STATE    TURNS  ABOUT"],
  [40, "SESSION               STATE    ABOUT"],
])("omits table columns that do not fit into %i columns", (columns, heading) => {
  const about = "a task with a long description ".repeat(10);
  const cwd = "/home/user/projects/with/a/long/path";
  const info = sampleSession({ state: "stopped", about, cwd });
  const [first = "", line = ""] = sessionTable([info], columns);
  expect(first.startsWith(heading)).toBe(true);
  expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 42));
});
