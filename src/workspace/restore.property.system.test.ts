import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { repositoryOf, treeOf } from "../../test/workspace/file-tree.ts";
import { createWorkspaces } from "./workspaces.ts";

const names = [
  "a.txt",
  "A.txt",
  "b",
  "dir",
  "ünï cödé.md",
  "日本.txt",
  " -n\t*'\"",
  "line\nbreak",
  "ignored.log",
  ".gitattributes",
  "git~",
];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
const content = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "a\r\nb\r\n", "$Id$ text\n", "* text=auto\n* ident\n", "x".repeat(100_000)),
);
const bytes = fc.oneof(
  content.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array)),
);
/** Agents' shell commands. `$1` and `$2` are paths. */
const commands = [
  'mv -f "$1" "$2"',
  'cp -R "$1" "$2"',
  'rm -rf "$1" && mkdir -p "$1" && echo new > "$1/a.txt"',
  'ln -sfn "$1" "$2"',
  'printf "%s\\n" one two >> "$1"',
  'sed -i -e "s/o/0/" "$1"',
  'chmod +x "$1" && touch "$2"',
  'head -c 3000 /dev/urandom > "$1"',
  'mkdir -p dir && for i in 1 2 3 4 5 6 7 8 9; do cp a.txt "dir/$i"; done',
  'find . -name .git -prune -o -type f -name "*.txt" -exec sh -c "echo all >> \\"\\$0\\"" {} \\;',
];
type Edit = (root: string) => void;
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(path, bytes).map(([at, data]) => write(at, data)) },
  fc.tuple(path).map(
    ([at]): Edit =>
      (root) =>
        rmSync(join(root, ...at), { recursive: true, force: true }),
  ),
  fc.tuple(path, path).map(([from, to]): Edit => move(from, to)),
  fc.tuple(path, fc.constantFrom(0o644, 0o755)).map(
    ([at, mode]): Edit =>
      (root) => {
        if (lstatSync(join(root, ...at)).isFile()) chmodSync(join(root, ...at), mode);
      },
  ),
  fc.tuple(path, fc.constantFrom("a.txt", "../outside", "dir", "nowhere")).map(
    ([at, target]): Edit =>
      (root) => {
        rmSync(join(root, ...at), { recursive: true, force: true });
        mkdirSync(dirname(join(root, ...at)), { recursive: true });
        symlinkSync(target, join(root, ...at));
      },
  ),
  fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 1, max: 40 }) }, fc.constant(1000)).map(
    (count): Edit =>
      (root) => {
        mkdirSync(join(root, "many"), { recursive: true });
        for (let at = 0; at < count; at++) writeFileSync(join(root, "many", `${at}`), `${count}`);
      },
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...commands), path, path).map(([command, a, b]): Edit => {
      const paths = [a, b].map((at) => `./${at.join("/")}`);
      return (root) =>
        void execFileSync("/bin/sh", ["-c", command, "sh", ...paths], { cwd: root, stdio: "pipe" });
    }),
  },
);

function write(at: readonly string[], data: Buffer): Edit {
  return (root) => {
    mkdirSync(dirname(join(root, ...at)), { recursive: true });
    writeFileSync(join(root, ...at), data);
  };
}

function move(from: readonly string[], to: readonly string[]): Edit {
  return (root) => {
    mkdirSync(dirname(join(root, ...to)), { recursive: true });
    renameSync(join(root, ...from), join(root, ...to));
  };
}

/**
 * Applies edits. Ignores the error of an edit that the tree does not allow, such as a file below a file. A part of that
 * edit may have been applied.
 */
function apply(root: string, edits: readonly Edit[]): void {
  for (const one of edits) {
    try {
      one(root);
    } catch {
      // the tree does not allow this edit
    }
  }
}

const ID = "ses_0123456789abcdef";
const RULES = "*.log\n";

function prepare(directory: string, isRepository: boolean) {
  const root = join(directory, "root");
  mkdirSync(join(directory, "outside"), { recursive: true });
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, ".gitignore"), RULES);
  writeFileSync(join(directory, "outside", "precious"), "untouched");
  if (!isRepository) return root;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: directory },
      stdio: "pipe",
    });
  git("init", "-q");
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, "tracked.log"), "tracked although it is ignored\n");
  git("add", "--all");
  git("add", "--force", "tracked.log");
  git("commit", "-qm", "first");
  writeFileSync(join(root, "a.txt"), "stashed\n");
  git("stash", "-q");
  git("branch", "other");
  git("worktree", "add", "-q", "../tree", "other");
  writeFileSync(join(root, "staged"), "staged\n");
  git("add", "staged");
  git("pack-refs", "--all");
  return root;
}

const isIgnored = (at: string): boolean => /\.log$|\.log\//.test(at) && at !== "tracked.log";
const isRecorded = (at: string): boolean => at !== ".git" && !isIgnored(at);
const ignoredIn = (root: string) =>
  Object.fromEntries(
    Object.entries(treeOf(root, (at) => at !== ".git")).filter(([at]) => isIgnored(at)),
  );
test.each([
  ["in a repository", true],
  ["outside a repository", false],
])(
  "restores exactly the recorded files %s, and changes nothing else",
  async (_, isRepository) => {
    const edits = fc.array(edit, { maxLength: 12 });
    const steps = fc.array(fc.record({ edits, isReopened: fc.boolean() }), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(steps, edits, async (made, last) => {
        const directory = realpathSync(mkdtempSync(join(tmpdir(), "halyard-")));
        try {
          const root = prepare(directory, isRepository);
          const home = join(directory, "home");
          const open = () => createWorkspaces({ home, env: process.env, now: () => new Date() });
          const repository = isRepository ? repositoryOf(root) : {};
          let workspaces = open();
          const recorded: { commit: string; tree: Record<string, string> }[] = [];
          for (const { edits, isReopened } of made) {
            if (isReopened) workspaces = open(); // another process resumes the session
            apply(root, edits);
            const workspace = await workspaces.open(ID, root);
            const { commit } = await workspace.checkpoint({ after: recorded.at(-1)?.commit });
            recorded.push({ commit, tree: treeOf(root, isRecorded) });
          }
          apply(root, last);
          const present = treeOf(root, isRecorded);
          const ignored = ignoredIn(root);
          const outside = treeOf(join(directory, "outside"), () => true);
          const onBefore = async () => {};
          const workspace = await workspaces.open(ID, root);
          let after = recorded.at(-1)?.commit;
          const restore = async (commit: string) => {
            const rewound = await workspace.restore(commit, { after, onBefore });
            after = rewound.commit;
            return rewound;
          };
          const [first, ...later] = recorded;
          if (!first) throw new Error("there is no step");
          const { before } = await restore(first.commit);
          expect(treeOf(root, isRecorded)).toEqual(first.tree);
          expect(ignoredIn(root)).toEqual(ignored);
          await restore(before);
          expect(treeOf(root, isRecorded)).toEqual(present);
          for (const { commit, tree } of later) {
            await restore(commit);
            expect(treeOf(root, isRecorded)).toEqual(tree);
          }
          expect(ignoredIn(root)).toEqual(ignored);
          if (isRepository) expect(repositoryOf(root)).toEqual(repository);
          expect(treeOf(join(directory, "outside"), () => true)).toEqual(outside);
          await workspaces.remove(ID);
          expect(readdirSync(join(directory, "home", "workspaces"))).toEqual([]);
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: Number(process.env.HALYARD_PROPERTY_RUNS ?? 12), interruptAfterTimeLimit: 40_000 },
    );
  },
  120_000,
);
