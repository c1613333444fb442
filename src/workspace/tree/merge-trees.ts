import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BytePath, recordsOf, toRecords, toText } from "../byte-path.ts";
import type { CheckpointRepository } from "../checkpoint-repository.ts";
import { gitText, runGit } from "../git/git.ts";

/** The result of a merge: a tree, or the paths that both sides changed differently. */
export type Merge =
  | { readonly tree: string; readonly conflicts?: undefined }
  | { readonly conflicts: readonly string[] };

/** The trees in a three-way merge. */
interface Sides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** A file in a tree. */
interface Entry {
  readonly mode: string;
  readonly hash: string;
}

/** Options for `mergeTrees`. */
export interface MergeOptions {
  /** `"theirs"` resolves a conflict with the whole file from the tree `theirs`. Defaults to `"fail"`. */
  readonly onConflict?: "fail" | "theirs";
}

/**
 * Merges the changes from `base` to `theirs` into `ours`. Writes objects, but none of the user's files. `git
 * merge-tree` does the same since git 2.38, but Halyard also supports older versions.
 */
export async function mergeTrees(
  repository: CheckpointRepository,
  sides: Sides,
  { onConflict = "fail" }: MergeOptions = {},
): Promise<Merge> {
  const scratch = await mkdtemp(join(repository.directory, "merge-"));
  try {
    const { git, objects } = repository;
    const noHash = "0".repeat(objects.format === "sha256" ? 64 : 40);
    const toLine = (path: BytePath, { mode, hash }: Entry = { mode: "0", hash: noHash }) =>
      `${mode} ${hash}\t${path}`; // the mode 0 deletes the file
    const files = await Promise.all(
      [sides.base, sides.ours, sides.theirs].map((tree) => listFiles(tree, git)),
    );
    const [base = noFiles, ours = noFiles, theirs = noFiles] = files;
    const conflicts: string[] = [];
    const lines: string[] = [];
    for (const path of new Set([...base.keys(), ...theirs.keys()])) {
      const before = base.get(path);
      const here = ours.get(path);
      const there = theirs.get(path);
      if (isSame(before, there) || isSame(here, there)) continue;
      const merged = isSame(here, before)
        ? { entry: there }
        : await mergeFile({ before, here, there }, scratch, git);
      if (merged) lines.push(toLine(path, merged.entry));
      else if (onConflict === "theirs") lines.push(toLine(path, there));
      else conflicts.push(toText(path));
    }
    if (conflicts.length > 0) return { conflicts };
    const withIndex = { ...git, index: join(scratch, "index") };
    await runGit(["read-tree", sides.ours], withIndex);
    const input = toRecords(lines.sort()); // sorts deleted files first, because a directory may replace a file
    await runGit(["update-index", "-z", "--index-info"], { ...withIndex, input });
    return { tree: await gitText(["write-tree"], withIndex) };
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

const noFiles: ReadonlyMap<BytePath, Entry> = new Map();

async function listFiles(
  tree: string,
  git: CheckpointRepository["git"],
): Promise<ReadonlyMap<BytePath, Entry>> {
  const { stdout } = await runGit(["ls-tree", "-r", "-z", "--full-tree", tree], git);
  const entries = recordsOf(stdout).map((line): [BytePath, Entry] => {
    const [mode = "", , hash = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    return [line.slice(line.indexOf("\t") + 1), { mode, hash }];
  });
  return new Map(entries);
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.mode === b?.mode && a?.hash === b?.hash;
}

/**
 * Merges the lines of a file that both sides changed. Returns undefined if the changes conflict, or if one of the three
 * versions is missing or is not a text file.
 */
async function mergeFile(
  { before, here, there }: Record<"before" | "here" | "there", Entry | undefined>,
  scratch: string,
  git: CheckpointRepository["git"],
): Promise<{ readonly entry: Entry } | undefined> {
  if (!before || !here || !there) return undefined;
  const entries = [here, before, there];
  if (!entries.every(({ mode }) => mode.startsWith("100"))) return undefined;
  const names = ["ours", "base", "theirs"].map((name) => join(scratch, name));
  for (const [index, { hash }] of entries.entries()) {
    const { stdout } = await runGit(["cat-file", "blob", hash], git);
    await writeFile(names[index] ?? "", stdout);
  }
  // the exit code is the number of conflicts, or 255 for a binary file
  const codes = Array.from({ length: 256 }, (_, code) => code);
  const merged = await runGit(["merge-file", "-p", "--quiet", ...names], {
    ...git,
    exitCodes: codes,
  });
  if (merged.exitCode !== 0) return undefined;
  const args = ["hash-object", "-w", "--no-filters", "--stdin"];
  const hash = await gitText(args, { ...git, input: merged.stdout });
  return { entry: { mode: there.mode === before.mode ? here.mode : there.mode, hash } };
}
