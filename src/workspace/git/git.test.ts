import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { GitError, gitText, runGit } from "./git.ts";

interface Repository {
  readonly root: string;
  readonly gitDir: string;
  readonly marks: string;
  /** Runs git without protection, as a user does. */
  git(...args: string[]): string;
  /** Returns a command that records that it ran. */
  trap(name: string): string;
  /** Returns the names of the traps that ran, and resets the list. */
  ran(): string[];
}

async function repository(): Promise<Repository> {
  const directory = await temporaryDirectory();
  const root = join(directory, "root");
  const marks = join(directory, "marks");
  mkdirSync(marks);
  execFileSync("git", ["init", "-q", root], { env: { PATH: process.env.PATH, HOME: directory } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: directory },
      encoding: "utf8",
      stdio: "pipe",
    });
  writeFileSync(join(root, "a.txt"), "one\n");
  git("add", "--all");
  git("commit", "-qm", "first");
  return {
    root,
    gitDir: join(root, ".git"),
    marks,
    git,
    trap: (name) => `touch '${join(marks, name)}';`,
    ran: () => {
      const names = readdirSync(marks);
      for (const name of names) rmSync(join(marks, name));
      return names;
    },
  };
}

const gitOptionsOf = ({ root, gitDir }: Repository) => ({
  gitDir,
  workTree: root,
  env: process.env,
});

test.each<{
  name: string;
  plant: (repository: Repository) => void;
  args: readonly (readonly string[])[];
}>([
  {
    name: "a file monitor",
    plant: ({ git, trap }) => git("config", "core.fsmonitor", `${trap("monitor")} false`),
    args: [["status", "--porcelain"]],
  },
  {
    name: "hooks",
    plant: ({ gitDir, trap }) => {
      for (const hook of ["reference-transaction", "post-index-change", "post-checkout"])
        script(join(gitDir, "hooks", hook), trap(hook));
    },
    args: [
      ["update-ref", "refs/heads/other", "HEAD"],
      ["read-tree", "HEAD"],
    ],
  },
  {
    name: "hooks in another directory",
    plant: ({ root, git, trap }) => {
      script(join(root, "hooks", "reference-transaction"), trap("transaction"));
      git("config", "core.hooksPath", "hooks");
    },
    args: [["update-ref", "refs/heads/other", "HEAD"]],
  },
  {
    name: "filters",
    plant: ({ root, git, trap }) => {
      git("config", "filter.evil.clean", `${trap("clean")} cat`);
      git("config", "filter.evil.smudge", `${trap("smudge")} cat`);
      git("config", "filter.evil.required", "true");
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n");
      writeFileSync(join(root, "b.txt"), "two\n");
    },
    args: [
      ["add", "--all"],
      ["checkout-index", "--all", "--force"],
    ],
  },
  {
    name: "a long-running filter in an included file",
    plant: ({ root, gitDir, git, trap }) => {
      const command = `${trap("process")} false`;
      writeFileSync(join(gitDir, "more"), `[filter "a.b"]\n\tprocess = "${command}"\n`);
      git("config", "include.path", "more");
      writeFileSync(join(gitDir, "info", "attributes"), "* filter=a.b\n");
      writeFileSync(join(root, "b.txt"), "two\n");
    },
    args: [["add", "--all"]],
  },
  {
    name: "an external diff",
    plant: ({ root, git, trap }) => {
      git("config", "diff.external", `${trap("external")} true`);
      writeFileSync(join(root, "a.txt"), "two\n");
    },
    args: [["diff"]],
  },
  {
    name: "a diff driver and a text conversion",
    plant: ({ root, git, trap }) => {
      git("config", "diff.evil.textconv", `${trap("textconv")} cat`);
      git("config", "diff.worse.command", `${trap("command")} true`);
      writeFileSync(join(root, ".gitattributes"), "a.txt diff=evil\nb.txt diff=worse\n");
      writeFileSync(join(root, "b.txt"), "one\n");
      git("add", "--all");
      for (const file of ["a.txt", "b.txt"]) writeFileSync(join(root, file), "two\n");
    },
    args: [["diff"]],
  },
  {
    name: "a merge driver",
    plant: ({ root, git, trap }) => {
      git("config", "merge.evil.driver", `${trap("merge")} true`);
      writeFileSync(join(root, ".gitattributes"), "* merge=evil\n");
      git("checkout", "-qb", "side");
      writeFileSync(join(root, "a.txt"), "side\n");
      git("commit", "-qam", "side");
      git("checkout", "-q", "-");
      writeFileSync(join(root, "a.txt"), "main\n");
      git("commit", "-qam", "main");
    },
    args: [["merge", "--no-commit", "side"]],
  },
  {
    name: "signing",
    plant: ({ marks, git, trap }) => {
      script(join(marks, "..", "sign"), trap("sign"));
      git("config", "gpg.program", join(marks, "..", "sign"));
      git("config", "commit.gpgSign", "true");
    },
    args: [["commit", "--allow-empty", "-m", "second"]],
  },
  {
    name: "a remote that is asked for missing objects",
    plant: ({ git, trap }) => {
      git("config", "extensions.partialClone", "origin");
      git("config", "core.repositoryFormatVersion", "1");
      git("config", "remote.origin.url", `ext::sh -c ${trap("remote").replaceAll(" ", "% ")}`);
      git("config", "remote.origin.promisor", "true");
      git("config", "protocol.ext.allow", "always");
    },
    args: [["cat-file", "-p", "1234567890123456789012345678901234567890"]],
  },
])("runs no program from a repository that plants $name", async ({ plant, args }) => {
  const traps = await repository();
  plant(traps);
  traps.ran();
  for (const one of args) attempt(() => traps.git(...one));
  expect(traps.ran(), "the trap works").not.toEqual([]);
  const safe = await repository();
  plant(safe);
  safe.ran();
  for (const one of args) await runGit(one, gitOptionsOf(safe)).catch(() => {});
  expect(safe.ran()).toEqual([]);
});

function script(file: string, command: string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${command}\n`);
  chmodSync(file, 0o755);
}

function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // Ignored: some traps make git fail after they ran.
  }
}

test("rejects a command if the configuration defines a filter that the command line cannot override", async () => {
  const planted = await repository();
  planted.git("config", "filter.a=b.clean", planted.trap("clean"));
  await expect(runGit(["status"], gitOptionsOf(planted))).rejects.toThrow("cannot be disabled");
});

test("ignores the user's variables and configuration", async () => {
  const { root, gitDir, git } = await repository();
  writeFileSync(join(root, "..", ".gitconfig"), "[user]\n\tname = Grace\n");
  expect(git("config", "--global", "user.name")).toBe("Grace\n");
  const env = {
    ...process.env,
    HOME: join(root, ".."),
    GIT_DIR: "/nonexistent",
    GIT_INDEX_FILE: "/nonexistent",
    GIT_TRACE: join(root, "trace"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "Mallory",
  };
  const names = await gitText(["config", "--list", "--name-only"], { gitDir, workTree: root, env });
  expect(names.split("\n")).not.toContain("user.name");
  expect(existsSync(join(root, "trace"))).toBe(false);
});

test("does not use a program in the working directory if the PATH has a relative entry", async () => {
  const { root, gitDir, trap, ran } = await repository();
  script(join(root, "git"), trap("git"));
  const env = { PATH: `.:${process.env.PATH}` };
  await runGit(["status"], { gitDir, workTree: root, env });
  expect(ran()).toEqual([]);
});

test("runs in the given working tree even if the configuration names another one", async () => {
  const hostile = await repository();
  hostile.git("config", "core.worktree", "/");
  expect(await gitText(["ls-files", "--others"], gitOptionsOf(hostile))).toBe("");
});

test("truncates output at the limit if requested, and otherwise fails", async () => {
  const options = gitOptionsOf(await repository());
  const cut = await runGit(["cat-file", "-p", "HEAD"], {
    ...options,
    maxBytes: 4,
    onOverflow: "truncate",
  });
  expect([cut.stdout.toString(), cut.truncated]).toEqual(["tree", true]);
  await expect(runGit(["cat-file", "-p", "HEAD"], { ...options, maxBytes: 4 })).rejects.toThrow(
    new GitError("too_much_output", "git cat-file wrote more than 4 bytes"),
  );
});

test("rejects when the signal is aborted or the time limit expires", async () => {
  const options = { ...gitOptionsOf(await repository()), isPrivate: true };
  const abort = new AbortController();
  const waiting = runGit(["cat-file", "--batch"], { ...options, signal: abort.signal });
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ reason: "cancelled" });
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, "git"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  const env = { PATH: `${directory}:${process.env.PATH}` };
  const late = runGit(["status"], { ...options, env, timeoutMs: 50 });
  await expect(late).rejects.toMatchObject({ reason: "timed_out" });
});

test("reports the failed command with git's error, and how to install git if it is missing", async () => {
  const options = gitOptionsOf(await repository());
  await expect(runGit(["rev-parse", "--verify", "nothing"], options)).rejects.toThrow(
    "git rev-parse exited with code 128: fatal: Needed a single revision",
  );
  await expect(runGit(["status"], { ...options, env: { PATH: "/nonexistent" } })).rejects.toThrow(
    "Install git 2.30 or later",
  );
});
