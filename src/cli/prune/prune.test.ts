import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";

async function withEnded(user: User, names: readonly string[]): Promise<string[]> {
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  const ids: string[] = [];
  for (const name of names) {
    const session = await local.start({ runtime: "fake", cwd, name });
    await session.stop();
    ids.push(session.id);
  }
  return ids;
}

test("prints the deleted sessions and the freed space, or with --dry-run the sessions that it would delete", async () => {
  const user = await newUser();
  const [first = "", second = ""] = await withEnded(user, ["first", "second"]);
  const dry = await runWarm(user, ["prune", "--older-than", "0d", "--keep", "1", "--dry-run"]);
  expect(dry).toMatchObject({ exitCode: 0, stderr: "Would delete 1 session.\n" });
  expect(dry.stdout).toMatch(
    new RegExp(`^${first}  fake  stopped  \\d+ s  \\d+ events?  first\n$`),
  );
  const json = await runWarm(user, ["prune", "--older-than", "0d", "--format", "json"]);
  const lines = json.stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([first, second].sort());
  expect(json.stderr).toMatch(/^Deleted 2 sessions, freed \d.* [KM]?B\.\n$/);
  const none = await runWarm(user, ["prune", "--older-than", "0d"]);
  expect(none).toMatchObject({ exitCode: 0, stdout: "" });
  expect(none.stderr).toMatch(/^Deleted 0 sessions, freed /);
});

test("uses the retention setting in config.json, and rejects a missing or malformed age", async () => {
  const user = await newUser();
  const [first] = await withEnded(user, ["first", "second"]);
  const missing = await runWarm(user, ["prune"]);
  expect(missing).toMatchObject({ exitCode: 2, stdout: "" });
  expect(missing.stderr).toContain('Run "halyard prune --older-than 30d".');
  expect(await runWarm(user, ["prune", "--older-than", "month"])).toMatchObject({ exitCode: 2 });
  const rule = { retention: { olderThan: "0d", keep: 1 } };
  await writeFile(join(user.home, "config.json"), JSON.stringify(rule));
  expect((await runWarm(user, ["prune"])).stdout).toContain(first);
});
