import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untrustedGit } from "../../programs/git-settings.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { repositoryFilters } from "./repository-filters.ts";

/** A repository with a file whose comparison runs the filter `x`. */
async function openScene() {
  const home = await temporaryDirectory();
  const root = join(home, "work");
  const mark = join(home, "ran");
  mkdirSync(root);
  const env = { PATH: process.env.PATH, HOME: home };
  const git = (args: readonly string[], variables: Record<string, string> = {}) =>
    execFileSync("git", args, {
      cwd: root,
      env: { ...env, ...variables },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git(["init", "-q"]);
  writeFileSync(join(root, "a.txt"), "one\n");
  git(["add", "a.txt"]);
  writeFileSync(join(root, ".gitattributes"), "* filter=x\n");
  utimesSync(join(root, "a.txt"), 1, 1);
  return {
    home,
    root,
    git,
    trap: `touch ${mark}; cat`,
    find: () => repositoryFilters(root, env),
    /** True if `git status` with these variables has run the trap. */
    statusRuns(variables: Record<string, string> = {}): boolean {
      git(["status"], variables);
      const ran = existsSync(mark);
      rmSync(mark, { force: true });
      return ran;
    },
  };
}

test.each(["in its configuration", "in an included file", "in a file below the home directory"])(
  "disables a filter that a repository defines %s",
  async (where) => {
    const { home, root, git, trap, find, statusRuns } = await openScene();
    const file = join(home, "filters");
    if (where === "in its configuration") git(["config", "filter.x.clean", trap]);
    else {
      git(["config", "-f", file, "filter.x.clean", trap]);
      git(["config", "include.path", where.includes("home") ? "~/filters" : file]);
    }
    git(["config", "filter.x.required", "true"]);
    const filters = await find();
    expect(statusRuns(), "the trap works").toBe(true);
    expect(statusRuns(untrustedGit({}, filters?.off))).toBe(false);
    const path = join(root, ".git", "config");
    expect(filters).toMatchObject({ path, directory: root, keys: ["filter.x.clean"] });
  },
);

test.each(["sub", "sub/deeper", "\u00fcber"])(
  "disables a filter that the submodule %s defines",
  async (path) => {
    const { root, git, trap, find, statusRuns } = await openScene();
    const gitlink = (at: string) => {
      git(["init", "-q", at]);
      writeFileSync(join(root, at, "b.txt"), "one\n");
      git(["-C", at, "add", "b.txt"]);
      git(["-C", at, "-c", "user.name=E", "-c", "user.email=e@x", "commit", "-qm", "1"]);
    };
    const [outer = ""] = path.split("/");
    if (outer !== path) gitlink(outer);
    gitlink(path);
    if (outer !== path) git(["-C", outer, "add", path.slice(outer.length + 1)]);
    git(["add", outer]);
    writeFileSync(join(root, path, ".gitattributes"), "* filter=y\n");
    git(["-C", path, "config", "filter.y.process", trap]);
    utimesSync(join(root, path, "b.txt"), 1, 1);
    expect(statusRuns(), "the trap works").toBe(true);
    const filters = await find();
    expect(statusRuns(untrustedGit({}, filters?.off))).toBe(false);
    const config = join(root, path, ".git", "config");
    expect(filters).toMatchObject({ path: config, directory: root, keys: ["filter.y.process"] });
  },
);

test("rejects a repository whose index cannot be read", async () => {
  const { root, find } = await openScene();
  writeFileSync(join(root, ".git", "index"), Buffer.from([0, 0, 0xe0, 0]));
  await expect(find()).rejects.toMatchObject({ code: "untrusted_directory" });
});

test("reports neither the user's filters nor Git LFS filters in their usual form", async () => {
  const { home, git, trap, find } = await openScene();
  writeFileSync(join(home, ".gitconfig"), `[filter "x"]\n\tclean = ${trap.replace(";", " &&")}\n`);
  expect(await find()).toBeUndefined();
  git(["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
  git(["config", "filter.lfs.process", "git-lfs filter-process"]);
  git(["config", "filter.lfs.required", "true"]);
  expect(await find()).toBeUndefined();
  git(["config", "filter.lfs.process", "git-lfs filter-process; evil"]);
  expect((await find())?.keys).toEqual(["filter.lfs.process"]);
});

test("rejects a repository whose configuration cannot be read", async () => {
  const { root, find } = await openScene();
  writeFileSync(join(root, ".git", "config"), '[filter "x"\n');
  await expect(find()).rejects.toMatchObject({ code: "untrusted_directory" });
});
