import { sentence } from "../../errors/sentence.ts";
import type {
  PrunedWorktree,
  WorktreeInfo,
  WorktreeState,
} from "../../schema/workspace/worktree.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { abbreviateHome, formatAge } from "../text/format.ts";
import { table } from "../text/table.ts";

export interface WorktreeListOptions {
  readonly format: "text" | "json";
}

export interface WorktreePruneOptions extends WorktreeListOptions {
  readonly dryRun?: boolean;
  readonly park?: boolean;
}

export async function listWorktrees({ format }: WorktreeListOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const worktrees = await halyard.worktrees();
  await print(worktrees, format, console, row, HEADINGS);
  if (format === "text" && worktrees.some(({ state }) => removable.has(state)))
    await console.err.write(
      'Some worktrees can be removed. Run "halyard worktree prune" to remove them.\n',
    );
  return 0;
}

export async function pruneWorktrees(options: WorktreePruneOptions): Promise<number> {
  const { format, dryRun = false, park = false } = options;
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const worktrees = await halyard.pruneWorktrees({ dryRun, park });
  const toRow = (worktree: PrunedWorktree) => [resultOf(worktree, dryRun), ...row(worktree)];
  await print(worktrees, format, console, toRow, ["RESULT", ...HEADINGS]);
  const problems = worktrees.flatMap(({ path, problem }) => (problem ? [{ path, problem }] : []));
  for (const { path, problem } of problems)
    await console.err.write(`${path} was not removed: ${sentence(problem)}\n`);
  const hasWork = worktrees.some(({ state, removed }) => !removed && withWork.has(state));
  if (format === "text" && hasWork && !park)
    await console.err.write(
      "Worktrees with unmerged changes were kept. Add --park to keep only their branches.\n",
    );
  return problems.length > 0 ? 1 : 0;
}

const removable: ReadonlySet<WorktreeState> = new Set(["merged", "empty", "broken"]);
const withWork: ReadonlySet<WorktreeState> = new Set(["dirty", "unmerged"]);

const HEADINGS = ["SESSION", "STATE", "COMMITS", "AGE", "BRANCH", "PATH"];

function row({ sessionId, state, commits, createdAt, branch, path }: WorktreeInfo): string[] {
  const age = formatAge(Date.now() - Date.parse(createdAt));
  return [sessionId, state, String(commits), age, branch, abbreviateHome(path)];
}

function resultOf({ removed, parked, deletedBranch }: PrunedWorktree, dryRun: boolean): string {
  if (!removed) return "kept";
  if (dryRun) return "would remove";
  if (parked !== undefined) return `parked ${parked.slice(0, 7)}`;
  return deletedBranch === undefined
    ? "removed"
    : `removed, branch was ${deletedBranch.slice(0, 7)}`;
}

async function print<T>(
  worktrees: readonly T[],
  format: "text" | "json",
  console: Console,
  toRow: (worktree: T) => string[],
  headings: readonly string[],
): Promise<void> {
  const { out, err } = console;
  if (format === "json") {
    for (const worktree of worktrees) await out.write(`${JSON.stringify(worktree)}\n`);
  } else if (worktrees.length === 0) {
    await err.write('No worktrees. Run "halyard start --worktree PROMPT" to create one.\n');
  } else {
    const columns = out.isTTY ? { columns: out.columns } : {};
    const flexible = { [headings.indexOf("PATH")]: "end" } as const;
    const lines = table([headings, ...worktrees.map(toRow)], { ...columns, flexible });
    for (const line of lines) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
}
