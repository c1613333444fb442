import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

const env = { PATH: process.env.PATH };
const lines = (...changed: [number, string][]) =>
  Array.from({ length: 20 }, (_, line) => new Map(changed).get(line) ?? `line ${line}`).join("\n");

/** A session that has changed files in its worktree, and the state of the user's repository before. */
async function openScene(script: (cwd: string) => string, format: "sha1" | "sha256" = "sha1") {
  const files = { "a.txt": lines(), "b.txt": "b\n", "c/d.txt": "d\n", ".gitignore": "out/\n" };
  const repository = await newRepository(files, { format });
  const { root, git } = repository;
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, env, adapters: [fakeAdapter({ env })] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const session = await halyard.start({
    runtime: "fake",
    cwd: root,
    permissions: "allow-all",
    worktree: { branch: "work" },
  });
  await session.ready();
  await session.send(script(session.info.cwd)).outcome;
  const state = () =>
    git("for-each-ref", "refs/heads").then(async (refs) => [refs, await git("status", "-s")]);
  return { ...repository, halyard, session, cwd: session.info.cwd, state };
}

const edit = (cwd: string) =>
  `sh cd ${cwd} && sed -i 's/^line 3$/three/' a.txt && rm b.txt && mkdir -p e out && printf 'new\\0' > e/f.bin && chmod +x c/d.txt && echo x > out/ignored`;

test.each(["sha1", "sha256"] as const)(
  "applies committed and uncommitted changes in a %s repository as a patch, merged with the user's own",
  async (format) => {
    const { root, git, gitIn, write, halyard, session, cwd } = await openScene(edit, format);
    await gitIn(cwd, "add", "a.txt");
    await gitIn(cwd, "commit", "--quiet", "-m", "Work");
    await write("a.txt", lines([15, "fifteen"]));
    await write("mine.txt", "untracked\n");
    const refs = await git("for-each-ref", "refs/heads");
    const index = await readFile(join(root, ".git", "index"));
    expect(await halyard.adopt(session.id, { cwd: join(root, "c") })).toEqual({
      sessionId: session.id,
      root,
      files: 4,
      insertions: 1,
      deletions: 2,
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe(lines([3, "three"], [15, "fifteen"]));
    expect(await readFile(join(root, "e/f.bin"), "utf8")).toBe("new\0");
    expect(await readFile(join(root, ".git", "index"))).toEqual(index);
    expect(await git("status", "-s")).toBe("M a.txt\n D b.txt\n M c/d.txt\n?? e/\n?? mine.txt");
    expect(await git("for-each-ref", "refs/heads")).toBe(refs);
    expect(await halyard.adopt(session.id, { cwd: root })).toMatchObject({ files: 0 });
  },
);

test.each([
  ["the same line", "a.txt", lines([3, "mine"])],
  ["a file that the session deleted", "b.txt", "mine\n"],
  ["a file that the session created", "e/f.bin", "mine\n"],
])("rejects with the paths and changes nothing if the user changed %s", async (_, path, text) => {
  const { root, write, halyard, session, state } = await openScene(edit);
  await write(path, text);
  const before = await state();
  await expect(halyard.adopt(session.id, { cwd: root })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(new RegExp(`nothing was changed[^]*\n  ${path}$`)),
  });
  expect(await state()).toEqual(before);
  expect(await readFile(join(root, path), "utf8")).toBe(text);
});

test("does not overwrite the user's ignored file", async () => {
  const script = (cwd: string) =>
    `sh cd ${cwd} && echo > .gitignore && mkdir out && echo x > out/y`;
  const { root, write, halyard, session } = await openScene(script);
  await write("out/y", "mine\n");
  await expect(halyard.adopt(session.id, { cwd: root })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await readFile(join(root, "out/y"), "utf8")).toBe("mine\n");
  expect(await readFile(join(root, ".gitignore"), "utf8")).toBe("out/\n");
});

test("adopts from the branch if the worktree was removed", async () => {
  const { root, halyard, session } = await openScene(edit);
  await session.stop();
  expect(await halyard.pruneWorktrees({ park: true })).toMatchObject([{ removed: true }]);
  expect(await halyard.adopt(session.id, { cwd: root })).toMatchObject({ files: 4 });
});

test("merges the branch with a fast-forward or stages the merge, and rejects uncommitted changes", async () => {
  const { root, git, gitIn, commit, halyard, session, cwd } = await openScene(edit);
  await expect(halyard.adopt(session.id, { cwd: root, merge: true })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("has changes that are not committed"),
  });
  await gitIn(cwd, "add", "--all");
  await gitIn(cwd, "commit", "--quiet", "-m", "Work");
  const forward = await halyard.adopt(session.id, { cwd: root, merge: true });
  expect(forward).toMatchObject({ files: 4, isStaged: false });
  expect(await git("rev-parse", "HEAD")).toBe(await git("rev-parse", "work"));
  await writeFile(join(cwd, "g.txt"), "g\n");
  await gitIn(cwd, "add", "--all");
  await gitIn(cwd, "commit", "--quiet", "-m", "More");
  const head = await commit("h.txt", "h\n");
  const staged = await halyard.adopt(session.id, { cwd: root, merge: true });
  expect(staged).toMatchObject({ files: 1, insertions: 1, isStaged: true });
  expect(await git("rev-parse", "HEAD")).toBe(head);
  expect(await git("status", "-s")).toBe("A  g.txt");
});

test("aborts a merge with conflicts", async () => {
  const { root, git, gitIn, commit, halyard, session, cwd } = await openScene(edit);
  await gitIn(cwd, "commit", "--quiet", "--all", "-m", "Work");
  await gitIn(cwd, "clean", "-fdq");
  const head = await commit("a.txt", lines([3, "mine"]));
  await expect(halyard.adopt(session.id, { cwd: root, merge: true })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining('Run "git merge work"'),
  });
  expect(await git("rev-parse", "HEAD")).toBe(head);
  expect(await git("status", "-s")).toBe("");
});

test("rejects a directory outside the repository, a session without a worktree, and a running turn", async () => {
  const { root, halyard, session } = await openScene(() => "say hi");
  const cwd = await temporaryDirectory();
  await expect(halyard.adopt(session.id, { cwd })).rejects.toThrow(/is not in the repository/);
  const plain = await halyard.start({ runtime: "fake", cwd: root });
  await expect(halyard.adopt(plain.id, { cwd: root })).rejects.toThrow(/has no worktree/);
  await session.send("wait").accepted;
  await expect(halyard.adopt(session.id, { cwd: root })).rejects.toThrow(/is running a turn/);
});
