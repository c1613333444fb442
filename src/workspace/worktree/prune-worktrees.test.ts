import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createWatchedGit } from "../../../test/workspace/watched-git.ts";
import { Lanes } from "../../async/lanes.ts";
import type { Session } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { ownIdentity } from "../../hosts/local/process-identity.ts";
import type { PrunedWorktree } from "../../schema/workspace/worktree.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { makeWorktree } from "./make-worktree.ts";
import { readRecords, type WorktreeRecord, writeRecord } from "./worktree-record.ts";
import { createWorktrees } from "./worktrees.ts";

const env = { PATH: process.env.PATH };

async function openScene() {
  const repository = await newRepository({ "a.txt": "one\n", "b.txt": "one\n" });
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, env, adapters: [fakeAdapter({ env })] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const start = (worktree: true | { branch: string } = true) =>
    halyard.start({ runtime: "fake", cwd: repository.root, permissions: "allow-all", worktree });
  /** Writes a file in a session's worktree and commits it there. */
  const commitIn = async ({ info: { cwd } }: Session, path: string, text: string) => {
    await writeFile(join(cwd, path), text);
    await repository.gitIn(cwd, "add", "--all");
    await repository.gitIn(cwd, "commit", "--quiet", "-m", `Change ${path}`);
    return repository.gitIn(cwd, "rev-parse", "HEAD");
  };
  return { ...repository, home, halyard, start, commitIn };
}

const short = ({ state, removed }: PrunedWorktree) => `${state} ${removed ? "removed" : "kept"}`;

test("removes an empty worktree and its branch, but not while a session runs in it", async () => {
  const { git, halyard, start } = await openScene();
  const before = await git("for-each-ref", "refs/heads");
  const session = await start();
  expect(await halyard.worktrees()).toMatchObject([{ sessionId: session.id, state: "live" }]);
  expect((await halyard.pruneWorktrees({ park: true })).map(short)).toEqual(["live kept"]);
  await session.stop();
  expect((await halyard.pruneWorktrees({ dryRun: true })).map(short)).toEqual(["empty removed"]);
  expect(await halyard.worktrees()).toMatchObject([{ state: "empty", commits: 0 }]);
  expect((await halyard.pruneWorktrees()).map(short)).toEqual(["empty removed"]);
  expect(await halyard.worktrees()).toEqual([]);
  expect(await git("for-each-ref", "refs/heads")).toBe(before);
  expect(await git("worktree", "list")).not.toContain("worktrees");
});

test("does not touch a worktree in which another session runs", async () => {
  const { halyard, start } = await openScene();
  const first = await start();
  await first.stop();
  await halyard.start({ runtime: "fake", cwd: first.info.cwd });
  expect((await halyard.pruneWorktrees({ park: true })).map(short)).toEqual(["live kept"]);
});

test("keeps a worktree with uncommitted changes, and with `park` commits them to its branch", async () => {
  const { git, halyard, start } = await openScene();
  const session = await start();
  const { cwd, worktree } = session.info;
  await session.send(`tool write ${cwd}/a.txt changed; tool write ${cwd}/new/c.txt new`).outcome;
  await session.stop();
  expect((await halyard.pruneWorktrees()).map(short)).toEqual(["dirty kept"]);
  const [pruned] = await halyard.pruneWorktrees({ park: true });
  const { branch = "" } = worktree ?? {};
  expect(pruned).toMatchObject({ removed: true, parked: await git("rev-parse", branch) });
  expect(pruned).not.toHaveProperty("deletedBranch");
  expect(await git("show", "--name-only", "--format=%s", branch)).toBe(
    `Uncommitted changes of session ${session.id}\n\na.txt\nnew/c.txt`,
  );
  expect(await halyard.worktrees()).toEqual([]);
});

test("keeps a worktree with unmerged commits, and with `park` keeps only its branch", async () => {
  const { git, halyard, start, commitIn } = await openScene();
  const session = await start({ branch: "work" });
  const commit = await commitIn(session, "a.txt", "two\n");
  await session.stop();
  expect(await halyard.pruneWorktrees()).toMatchObject([
    { state: "unmerged", removed: false, commits: 1, head: commit },
  ]);
  expect((await halyard.pruneWorktrees({ park: true })).map(short)).toEqual(["unmerged removed"]);
  expect(await git("rev-parse", "work")).toBe(commit);
});

test("keeps a worktree whose commits are on a detached HEAD, even with `park`", async () => {
  const { halyard, start, commitIn, gitIn } = await openScene();
  const session = await start();
  await gitIn(session.info.cwd, "checkout", "--quiet", "--detach");
  await commitIn(session, "a.txt", "two\n");
  await session.stop();
  expect(await halyard.pruneWorktrees({ park: true })).toMatchObject([
    { state: "unmerged", removed: false, problem: expect.stringContaining("no branch") },
  ]);
});

test("keeps a worktree in which a merge is in progress", async () => {
  const { halyard, start, commitIn, gitIn, commit } = await openScene();
  const session = await start();
  await commitIn(session, "a.txt", "mine\n");
  await commit("a.txt", "theirs\n");
  await expect(gitIn(session.info.cwd, "merge", "main")).rejects.toThrow();
  await session.stop();
  expect(await halyard.pruneWorktrees({ park: true })).toMatchObject([
    { state: "dirty", removed: false, problem: expect.stringContaining("in progress") },
  ]);
});

test.each([
  ["a merge", ["merge", "--quiet", "--no-ff", "-m", "Merge", "work"]],
  ["a fast-forward", ["merge", "--quiet", "--ff-only", "work"]],
  ["a squash", ["merge", "--quiet", "--squash", "work"]],
  ["a rebase", ["cherry-pick", "main..work"]],
])("recognizes a branch that was merged by %s, even after later changes", async (how, args) => {
  const { git, commit, halyard, start, commitIn } = await openScene();
  const session = await start({ branch: "work" });
  await commitIn(session, "a.txt", "two\n");
  const head = await commitIn(session, "b.txt", "two\n");
  await session.stop();
  if (how !== "a fast-forward") await commit("c.txt", "other work\n");
  await git(...args);
  if (how === "a squash") await git("commit", "--quiet", "-m", "Squash");
  await commit("a.txt", "three\n");
  expect(await halyard.pruneWorktrees()).toMatchObject([
    { state: "merged", removed: true, deletedBranch: head },
  ]);
  await expect(git("rev-parse", "--verify", "work")).rejects.toThrow();
});

test("does not treat a partly merged branch as merged", async () => {
  const { git, halyard, start, commitIn } = await openScene();
  const session = await start({ branch: "work" });
  const first = await commitIn(session, "a.txt", "two\n");
  await commitIn(session, "b.txt", "two\n");
  await session.stop();
  await git("merge", "--quiet", "--ff-only", first);
  expect((await halyard.pruneWorktrees()).map(short)).toEqual(["unmerged kept"]);
});

test("deletes no branch that Halyard did not create, and none that is checked out elsewhere", async () => {
  const { git, halyard, start } = await openScene();
  await git("branch", "mine");
  const continued = await start({ branch: "mine" });
  const created = await start({ branch: "theirs" });
  await continued.stop();
  await created.stop();
  await git("checkout", "--quiet", "--ignore-other-worktrees", "theirs");
  expect((await halyard.pruneWorktrees()).map(short)).toEqual(["empty removed", "empty removed"]);
  expect(await git("branch", "--format=%(refname:short)")).toBe("main\nmine\ntheirs");
});

test("removes the record and the branch of a worktree whose directory was deleted", async () => {
  const { git, halyard, start } = await openScene();
  const session = await start();
  await session.stop();
  await rm(session.info.cwd, { recursive: true });
  expect((await halyard.pruneWorktrees()).map(short)).toEqual(["broken removed"]);
  expect(await git("branch", "--format=%(refname:short)")).toBe("main");
});

const making = { env, settings: {}, now: () => new Date(), lanes: new Lanes() };

/** A process that is no longer running, as after a crash. */
const dead = { pid: 2 ** 22 + 1, startTime: "1", bootId: "gone" };

/** Creates the files that `git worktree add` leaves if it is killed before the file "commondir" is complete. */
async function createIncomplete(git: string, path: string) {
  const directory = join(git, "worktrees", basename(path));
  await mkdir(path);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "locked"), "initializing\n");
  await writeFile(join(directory, "gitdir"), `${join(path, ".git")}\n`);
  await writeFile(join(path, ".git"), `gitdir: ${directory}\n`);
  await writeFile(join(directory, "commondir"), "");
}

test.each(["record", "empty directory", "incomplete worktree", "half checkout", "worktree"])(
  "removes a worktree whose creator was killed after this step: %s",
  async (step) => {
    const { root, git, home, halyard } = await openScene();
    const refs = await git("for-each-ref", "refs/heads");
    const id = newSessionId();
    const options = { ...making, home, maker: dead, cwd: root };
    const made = await makeWorktree(id, {}, options);
    const { path } = made.worktree;
    if (step !== "worktree") {
      const [record] = await readRecords(home);
      await made.discard();
      await writeRecord(record as WorktreeRecord);
    }
    if (step === "empty directory") await mkdir(path);
    if (step === "incomplete worktree") await createIncomplete(join(root, ".git"), path);
    if (step === "half checkout") {
      await git("worktree", "add", "--quiet", "--no-checkout", "-b", made.worktree.branch, path);
      await writeFile(join(path, "a.txt"), "half");
    }
    expect((await halyard.pruneWorktrees()).map(short)).toEqual(["broken removed"]);
    expect(await git("for-each-ref", "refs/heads")).toBe(refs);
    expect(await git("worktree", "list", "--porcelain")).not.toContain(path);
    expect(await halyard.worktrees()).toEqual([]);
  },
);

test("creates a worktree even if another process was killed while it created one", async () => {
  const { root, git, home, start } = await openScene();
  const options = { ...making, home, maker: dead, cwd: root };
  const made = await makeWorktree(newSessionId(), {}, options);
  const [record] = await readRecords(home);
  await made.discard();
  await writeRecord(record as WorktreeRecord);
  await createIncomplete(join(root, ".git"), made.worktree.path);
  await expect(git("worktree", "list")).rejects.toThrow("commondir");
  const session = await start();
  expect(await git("worktree", "list")).toContain(session.info.cwd);
  expect(await git("worktree", "list")).not.toContain(made.worktree.path);
});

test("does not prune a worktree that a running process is still creating", async () => {
  const { root, home, halyard } = await openScene();
  const options = { ...making, home, maker: ownIdentity(), cwd: root };
  const made = await makeWorktree(newSessionId(), {}, options);
  expect((await halyard.pruneWorktrees({ park: true })).map(short)).toEqual(["live kept"]);
  await made.discard();
  expect(await halyard.worktrees()).toEqual([]);
});

async function openWatched() {
  const { root, home, git } = await openScene();
  const watched = await createWatchedGit();
  const worktrees = createWorktrees({
    home,
    env: { PATH: watched.path },
    maker: dead,
    health: async () => "dead",
    now: () => new Date(),
    settingsFor: async () => ({}),
  });
  const make = async () => {
    const made = await worktrees.make(newSessionId(), {}, { cwd: root });
    await made.keep();
    return made;
  };
  return { ...watched, git, worktrees, make };
}

test("lists worktrees with one git command each, and prunes them with three each, plus two per repository", async () => {
  const count = 5;
  const { worktrees, make, commands } = await openWatched();
  for (let made = 0; made < count; made++) await make();
  await commands();
  expect(await worktrees.list([])).toHaveLength(count);
  const repeated = (name: string) => Array.from({ length: count }, () => name);
  const shared = ["config", "for-each-ref"];
  expect(await commands()).toEqual([...shared, ...repeated("status")]);
  const pruned = await worktrees.prune(async () => []);
  expect(pruned.filter(({ removed }) => removed)).toHaveLength(count);
  const inPrune = [...repeated("status"), ...repeated("update-ref"), ...repeated("worktree")];
  expect(await commands()).toEqual([...shared, ...inPrune]);
});

test("runs a worktree command again if another process removes a worktree while git lists them", async () => {
  const { worktrees, make, git, failNext } = await openWatched();
  const stderr = "fatal: Invalid path '/r/.git/worktrees/x': No such file or directory\n";
  await failNext("worktree", stderr);
  const { worktree } = await make();
  expect(await git("branch", "--list", worktree.branch)).toContain(worktree.branch);
  await failNext("worktree", stderr);
  expect((await worktrees.prune(async () => [])).map(short)).toEqual(["empty removed"]);
  expect(await git("branch", "--list", worktree.branch)).toBe("");
});
