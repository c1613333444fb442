import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Lanes } from "../../async/lanes.ts";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { reasonOf } from "../../errors/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type PrunedWorktree, PruneRequest } from "../../schema/workspace/worktree.ts";
import { gitText, runGit } from "../git/git.ts";
import {
  type ExaminedWorktree,
  examineWorktrees,
  isHalfRemoved,
  type WorktreeContext,
} from "./list-worktrees.ts";
import { releaseUnusedPorts } from "./ports.ts";
import { removeCopies, removeWorktree } from "./remove-worktree.ts";
import {
  readRecord,
  readRecords,
  recordFile,
  removeOrphanedDrafts,
  type WorktreeRecord,
  worktreesIn,
  writeRecord,
} from "./worktree-record.ts";
import { exists } from "./worktree-status.ts";

/**
 * Removes worktrees that contain no unmerged work. With `park`, also removes worktrees that contain work: commits the
 * uncommitted changes, and keeps the branches. Never touches a worktree with a live session. With `dryRun`, only returns
 * what a prune would remove. After a crash at any step, the next prune continues.
 */
export async function pruneTrees(
  context: WorktreeContext,
  live: () => Promise<readonly SessionInfo[]>,
  request: PruneRequest = {},
): Promise<PrunedWorktree[]> {
  const { dryRun, park } = PruneRequest.parse(request);
  const lanes = new Lanes({ limit: PROCESSES });
  const pruneOne = async (examined: ExaminedWorktree): Promise<PrunedWorktree> => {
    const { info } = examined;
    if (!isRemovable(examined, park)) return { ...info, removed: false };
    if (dryRun) return { ...info, removed: true };
    return lanes.run(info.path, () => prune(examined, context, live));
  };
  let examined = await examineWorktrees(context, await live());
  const half = examined.filter(isHalfRemoved);
  if (half.length > 0 && !dryRun) {
    for (const one of half) await repair(one, context);
    examined = await examineWorktrees(context, await live());
  }
  const pruned = await Promise.all(examined.map(pruneOne));
  const isDead = async (maker: ProcessIdentity) => (await context.health(maker)) === "dead";
  if (!dryRun) {
    await removeOrphanedDrafts(context.home, isDead);
    await releaseUnusedPorts(
      worktreesIn(context.home),
      async ({ path, maker }) => (await exists(recordFile({ path }))) || !(await isDead(maker)),
    );
  }
  return pruned;
}

const PROCESSES = 4;

/** Removes the worktrees whose creating process was killed. No session has worked in them. */
export async function removeUnfinished(context: WorktreeContext): Promise<void> {
  for (const record of await readRecords(context.home))
    if (record.maker && (await context.health(record.maker)) === "dead")
      await removeWorktree(record, { ...context, force: true });
}

/**
 * Restores the files that a killed prune deleted. Without `.gitignore`, git would treat ignored files as work, and
 * `park` would commit them together with the deletions.
 */
async function repair(
  { record: { path }, gitDir, drivers }: ExaminedWorktree,
  { env }: WorktreeContext,
): Promise<void> {
  if (gitDir === undefined) return;
  const link = { flag: "wx" } as const;
  // fails if the file already exists, which is then kept
  await writeFile(join(path, ".git"), `gitdir: ${gitDir}\n`, link).catch(() => {});
  await runGit(["checkout-index", "--all", "--quiet"], {
    gitDir,
    workTree: path,
    env,
    drivers,
    exitCodes: [0, 1, 128], // git fails for a file that already exists, which is then kept
  });
}

function isRemovable({ info: { state } }: ExaminedWorktree, park: boolean): boolean {
  switch (state) {
    case "live":
      return false;
    case "dirty":
    case "unmerged":
      return park;
    case "merged":
    case "empty":
    case "broken":
      return true;
  }
}

async function prune(
  examined: ExaminedWorktree,
  context: WorktreeContext,
  live: () => Promise<readonly SessionInfo[]>,
): Promise<PrunedWorktree> {
  const { record, info, drivers } = examined;
  try {
    if (await isTaken(examined, live)) return { ...info, state: "live", removed: false };
    await removeStaleLocks(examined, context);
    const hasWork = info.state === "dirty" || info.state === "unmerged";
    const { head = record.base } = info;
    const begun = info.head === undefined ? record.removal : undefined; // all files have already been deleted
    const branchAt = begun?.branchAt ?? (hasWork ? "" : head);
    const removal = { by: context.maker, head, branchAt };
    await writeRecord({ ...record, removal });
    const parked = info.state === "dirty" ? await parkChanges(examined, context) : undefined;
    if (info.state === "unmerged") requireBranch(examined);
    if (parked !== undefined)
      await writeRecord({ ...record, removal: { ...removal, head: parked } });
    const deletedBranch = await removeWorktree(record, {
      ...context,
      drivers,
      force: record.maker !== undefined,
      branchAt,
    });
    return {
      ...info,
      removed: true,
      ...(parked !== undefined && { parked }),
      ...(deletedBranch !== undefined && { deletedBranch }),
    };
  } catch (error) {
    // ignored, because the original error is reported
    if (await exists(record.path)) await writeRecord(withoutRemoval(record)).catch(() => {});
    return { ...info, removed: false, problem: reasonOf(error) };
  }
}

/**
 * Returns the record without the removal, so that the next prune examines the files again. The files may have changed.
 */
function withoutRemoval({ removal: _, ...record }: WorktreeRecord): WorktreeRecord {
  return record;
}

/** True if a session has started in the worktree, or another prune has removed it, since it was examined. */
async function isTaken(
  { record }: ExaminedWorktree,
  live: () => Promise<readonly SessionInfo[]>,
): Promise<boolean> {
  if (!(await readRecord(recordFile(record)))) return true;
  return (await live()).some(({ cwd }) => `${cwd}/`.startsWith(`${record.path}/`));
}

/** Removes locks that a killed prune's git process left behind. Git does not delete them. */
async function removeStaleLocks(
  { record: { removal, commonDir, branch }, gitDir }: ExaminedWorktree,
  { health }: WorktreeContext,
): Promise<void> {
  if (gitDir === undefined || !removal || (await health(removal.by)) !== "dead") return;
  const names = ["index", "HEAD"].map((name) => join(gitDir, name));
  for (const file of [...names, join(commonDir, "refs", "heads", branch)])
    await rm(`${file}.lock`, { force: true });
}

/** Commits all of a worktree's changes on its branch, and returns the commit. */
async function parkChanges(examined: ExaminedWorktree, { env }: WorktreeContext): Promise<string> {
  const { record, gitDir, status, drivers } = examined;
  if (gitDir === undefined || !status)
    throw new Error(`git no longer knows ${record.path}. Save its files, then delete it`);
  if (status.isBusy)
    throw new Error(
      "a merge, rebase or similar operation is in progress. Finish or abort it first",
    );
  requireBranch(examined);
  await removeCopies(record);
  const git = { gitDir, workTree: record.path, env, drivers };
  const message = `Uncommitted changes of session ${record.sessionId}`;
  await runGit(["add", "--all"], git);
  await runGit(["commit", "--quiet", "--no-verify", "-m", message], git);
  return gitText(["rev-parse", "HEAD"], git);
}

/** Throws if no branch is checked out, because removing the worktree would lose its commits. */
function requireBranch({ status }: ExaminedWorktree): void {
  if (status?.branch !== undefined) return;
  throw new Error('no branch is checked out. Run "git switch -c NAME" in the worktree first');
}
