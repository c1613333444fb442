import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createWorkspaces } from "../workspaces.ts";

const onBefore = async () => {};

async function openWorkspace(root: string) {
  const home = join(dirname(root), "home");
  const workspaces = createWorkspaces({ home, env: process.env, now: () => new Date() });
  return workspaces.open("ses_0123456789abcdef", root);
}

test.each(["true", "false"])(
  "records and restores names that differ only in case, with core.ignorecase=%s",
  async (ignoresCase) => {
    const { root, git, write } = await newRepository({ readme: "one\n", "Src/a.ts": "a\n" });
    await git("config", "core.ignorecase", ignoresCase);
    const files = () =>
      Object.fromEntries(
        readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git"))
          .map(({ parentPath, name }) => [join(parentPath, name), ""])
          .map(([path = ""]) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
      );
    const workspace = await openWorkspace(root);
    const start = await workspace.checkpoint();
    renameSync(join(root, "readme"), join(root, "README"));
    await write("Foo", "upper\n");
    await write("foo", "lower\n");
    await write("src/a.ts", "b\n");
    const wanted = files();
    const turn = await workspace.checkpoint({ after: start.commit });
    expect(turn).toMatchObject({ files: 4, skipped: [] }); // one of them is renamed
    rmSync(join(root, "foo"));
    await write("FOO", "other\n");
    await write("README", "two\n");
    await write("Src/a.ts", "c\n");
    const index = await git("ls-files", "--stage");
    await workspace.restore(turn.commit, { onBefore });
    expect(files()).toEqual(wanted);
    await workspace.restore(start.commit, { onBefore });
    expect(files()).toEqual({ readme: "one\n", "Src/a.ts": "a\n" });
    expect(await git("ls-files", "--stage")).toBe(index);
  },
);

test("records a submodule's commit, and never touches its files in a restore", async () => {
  const library = await newRepository({ "lib.ts": "one\n" });
  const { root, git, gitIn, write } = await newRepository();
  const allowed = ["-c", "protocol.file.allow=always"];
  await git(...allowed, "submodule", "--quiet", "add", library.root, "lib");
  await git("commit", "--quiet", "-m", "Add the library");
  const submodule = join(root, "lib");
  const workspace = await openWorkspace(root);
  const start = await workspace.checkpoint();
  await write("lib/lib.ts", "two\n");
  await write("lib/new.ts", "new\n");
  const dirty = await workspace.checkpoint({ after: start.commit });
  expect(dirty.files, "changes that are not committed").toBe(0);
  await gitIn(submodule, "commit", "--quiet", "--all", "-m", "Two");
  const head = await gitIn(submodule, "rev-parse", "HEAD");
  await write("a.txt", "two\n");
  const moved = await workspace.checkpoint({ after: start.commit });
  const { files } = await workspace.changes(start.commit, moved.commit);
  expect(files.map(({ path }) => path)).toEqual(["a.txt", "lib"]);
  const rewound = await workspace.restore(start.commit, { onBefore });
  expect(rewound.kept).toEqual(["lib"]);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(submodule, "lib.ts"), "utf8")).toBe("two\n");
  expect(readFileSync(join(submodule, "new.ts"), "utf8")).toBe("new\n");
  expect(await gitIn(submodule, "rev-parse", "HEAD")).toBe(head);
});
