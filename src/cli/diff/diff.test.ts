import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

/** In the test's process, runs two turns that change files, and ends the session before the command starts. */
async function changedFiles() {
  const user = await newUser();
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, "a.txt"), "one\ntwo\n");
  const adapters = [fakeAdapter()];
  await using owner = await createHalyard({ home: user.home, env: process.env, adapters });
  const request = { runtime: "fake", cwd, permissions: "allow-all", name: "api" } as const;
  const session = await owner.start(request);
  await session.ready();
  const { id } = session;
  for (const command of ["sh echo 2 > a.txt", "sh echo new > b.txt"]) {
    const turn = session.send("wait");
    await turn.accepted;
    await session.send(command, { delivery: "steer" }).outcome;
    await owner.changes(id); // waits for the checkpoint of the turn
  }
  return { user, cwd, id };
}

test("prints all changes or those of one turn, as a patch, statistics, names or JSON", async () => {
  const { user, cwd, id } = await changedFiles();
  const all = await runWarm(user, ["diff", "api"]);
  expect(all).toMatchObject({ exitCode: 0, stderr: "" });
  expect(all.stdout).toMatch(
    /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-one\n-two\n\+2\ndiff --git a\/b\.txt b\/b\.txt\n/,
  );
  const turn = await runWarm(user, ["diff", id, "--turn", "2", "--name-only"]);
  expect(turn.stdout).toBe("b.txt\n");
  const agent = await runWarm(user, ["diff", id, "--agent-only", "--name-only"]);
  expect(agent.stdout).toBe("a.txt\nb.txt\n");
  const stat = await runWarm(user, ["diff", id, "--stat"]);
  expect(stat.stdout).toBe(
    " a.txt | 3 +--\n b.txt | 1 +\n 2 files changed, 2 insertions(+), 2 deletions(-)\n",
  );
  const json = await runWarm(user, ["diff", id, "--turn", "1", "--format", "json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    root: cwd,
    files: [{ path: "a.txt", status: "modified", insertions: 1, deletions: 2, binary: false }],
  });
  const unknown = await runWarm(user, ["diff", id, "--turn", "9"]);
  expect(unknown).toMatchObject({ exitCode: 4, stdout: "" });
  expect(unknown.stderr).toContain(`has no turn 9. Turns so far: 2. Run "halyard events ${id}"`);
});

test("quotes file names that contain line breaks or bidirectional control characters", async () => {
  const user = await newUser();
  const cwd = await temporaryDirectory();
  await using owner = await createHalyard({
    home: user.home,
    env: process.env,
    adapters: [fakeAdapter()],
  });
  const session = await owner.start({ runtime: "fake", cwd, permissions: "allow-all" });
  await session.ready();
  await writeFile(join(cwd, "a\nb.txt"), "");
  await writeFile(join(cwd, "c\u202etxt.d"), "");
  await session.send("say done").outcome;
  await owner.changes(session.id);
  const { stdout } = await runWarm(user, ["diff", session.id, "--name-only"]);
  expect(stdout).toBe('"a\\nb.txt"\n"c\\u202etxt.d"\n');
  const stat = await runWarm(user, ["diff", session.id, "--stat"]);
  expect(stat.stdout.split("\n")).toHaveLength(4);
});

test("rewinds the files, and prints the command that undoes the rewind", async () => {
  const { user, cwd, id } = await changedFiles();
  const rewound = await runWarm(user, ["rewind", id, "--to", "1"]);
  expect(rewound).toMatchObject({
    exitCode: 0,
    stdout: "1 file changed, 1 deletion(-)\n",
  });
  await expect(readFile(join(cwd, "b.txt"))).rejects.toThrow("ENOENT");
  const [, undo = ""] = /^To undo: halyard (.*)$/m.exec(rewound.stderr) ?? [];
  expect(await runWarm(user, undo.split(" "))).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("new\n");
});
