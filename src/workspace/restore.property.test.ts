import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
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
import { createWorkspaces } from "./workspaces.ts";

const names = [
  "a.txt",
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
  fc.integer({ min: 1, max: 40 }).map(
    (count): Edit =>
      (root) => {
        mkdirSync(join(root, "many"), { recursive: true });
        for (let at = 0; at < count; at++) writeFileSync(join(root, "many", `${at}`), `${count}`);
      },
  ),
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

/** Applies edits. An edit that the tree does not allow, such as a file below a file, has no effect. */
function apply(root: string, edits: readonly Edit[]): void {
  for (const one of edits) {
    try {
      one(root);
    } catch {
      // the tree does not allow it
    }
  }
}

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

/** Returns everything below a directory: links with their target, files with their mode and content. */
function treeOf(root: string, isIncluded: (path: string) => boolean): Record<string, string> {
  const tree: Record<string, string> = {};
  const visit = (below: string) => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const at = join(below, name);
      if (!isIncluded(at)) continue;
      const stats = lstatSync(join(root, at));
      if (stats.isDirectory()) visit(at);
      else if (stats.isSymbolicLink()) tree[at] = `link ${readlinkSync(join(root, at))}`;
      else tree[at] = `${stats.mode & 0o111 ? "x" : "-"} ${hash(readFileSync(join(root, at)))}`;
    }
  };
  visit("");
  return tree;
}

const hash = (data: Buffer): string => createHash("sha256").update(data).digest("hex");
const isIgnored = (at: string): boolean => /\.log$|\.log\//.test(at) && at !== "tracked.log";
const isRecorded = (at: string): boolean => at !== ".git" && !isIgnored(at);
const ignoredIn = (root: string) =>
  Object.fromEntries(
    Object.entries(treeOf(root, (at) => at !== ".git")).filter(([at]) => isIgnored(at)),
  );
/** Everything of the user's repository except the objects and refs that checkpoints add. */
const repositoryOf = (root: string) =>
  treeOf(join(root, ".git"), (at) => at !== "objects" && at !== "refs/halyard");

test.each([
  ["in a repository", true],
  ["outside a repository", false],
])(
  "restores exactly the recorded files %s, and changes nothing else",
  async (_, isRepository) => {
    const edits = fc.array(edit, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(edits, edits, edits, async (first, second, third) => {
        const directory = realpathSync(mkdtempSync(join(tmpdir(), "halyard-")));
        try {
          const root = prepare(directory, isRepository);
          const workspaces = createWorkspaces({ home: join(directory, "home"), env: process.env });
          const repository = isRepository ? repositoryOf(root) : {};
          const workspace = await workspaces.open("ses_0123456789abcdef", root);
          apply(root, first);
          const recorded = treeOf(root, isRecorded);
          const { commit } = await workspace.checkpoint();
          apply(root, second);
          const middle = treeOf(root, isRecorded);
          const after = (await workspace.checkpoint({ after: commit })).commit;
          apply(root, third);
          const last = treeOf(root, isRecorded);
          const ignored = ignoredIn(root);
          const outside = treeOf(join(directory, "outside"), () => true);
          const onBefore = async () => {};
          const rewound = await workspace.restore(commit, { after, onBefore });
          expect(treeOf(root, isRecorded)).toEqual(recorded);
          expect(ignoredIn(root)).toEqual(ignored);
          await workspace.restore(rewound.before, { after: rewound.commit, onBefore });
          expect(treeOf(root, isRecorded)).toEqual(last);
          await workspace.restore(after, { after: rewound.before, onBefore });
          expect(treeOf(root, isRecorded)).toEqual(middle);
          expect(ignoredIn(root)).toEqual(ignored);
          if (isRepository) expect(repositoryOf(root)).toEqual(repository);
          expect(treeOf(join(directory, "outside"), () => true)).toEqual(outside);
          await workspaces.remove("ses_0123456789abcdef");
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
