import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

/** Runs two turns that change files, as another process, and ends the session. */
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

test("prints the changes like git diff: all, of a turn, as statistics, names and json", async () => {
  const { user, cwd, id } = await changedFiles();
  const all = await halyard(user, ["diff", "api"]);
  expect(all).toMatchObject({ exitCode: 0, stderr: "" });
  expect(all.stdout).toMatch(
    /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-one\n-two\n\+2\ndiff --git a\/b\.txt b\/b\.txt\n/,
  );
  const turn = await halyard(user, ["diff", id, "--turn", "2", "--name-only"]);
  expect(turn.stdout).toBe("b.txt\n");
  const agent = await halyard(user, ["diff", id, "--agent-only", "--name-only"]);
  expect(agent.stdout).toBe("a.txt\nb.txt\n");
  const stat = await halyard(user, ["diff", id, "--stat"]);
  expect(stat.stdout).toBe(
    " a.txt | 3 +--\n b.txt | 1 +\n 2 files changed, 2 insertions(+), 2 deletions(-)\n",
  );
  const json = await halyard(user, ["diff", id, "--turn", "1", "--format", "json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    root: cwd,
    files: [{ path: "a.txt", status: "modified", insertions: 1, deletions: 2, binary: false }],
  });
  const unknown = await halyard(user, ["diff", id, "--turn", "9"]);
  expect(unknown).toMatchObject({ exitCode: 4, stdout: "" });
  expect(unknown.stderr).toContain(
    `has no turn 9; the number of its turns is 2. Run "halyard events ${id}"`,
  );
});

test("rewinds the files, and prints the command that undoes it", async () => {
  const { user, cwd, id } = await changedFiles();
  const rewound = await halyard(user, ["rewind", id, "--to", "1"]);
  expect(rewound).toMatchObject({
    exitCode: 0,
    stdout: "1 file changed, 1 deletion(-)\n",
  });
  await expect(readFile(join(cwd, "b.txt"))).rejects.toThrow("ENOENT");
  const [, undo = ""] = /^To undo: halyard (.*)$/m.exec(rewound.stderr) ?? [];
  expect(await halyard(user, undo.split(" "))).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("new\n");
});
