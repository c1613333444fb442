import { Lanes } from "../../async/lanes.ts";
import { reasonOf } from "../../errors/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type PrunedWorktree, PruneRequest } from "../../schema/workspace/worktree.ts";
import { gitText, runGit } from "../git.ts";
import { type ExaminedWorktree, examineWorktrees, type WorktreeContext } from "./list-worktrees.ts";
import { releaseUnusedPorts } from "./ports.ts";
import { removeCopies, removeWorktree } from "./remove-worktree.ts";
import { readRecord, recordFile, worktreesIn } from "./worktree-record.ts";
import { exists } from "./worktree-status.ts";

/**
 * Removes worktrees without work of their own, and with `park` those with work, whose branches are kept. Never touches a
 * worktree with a live session. A crash at any step leaves a state that the next prune continues from.
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
  const examined = await examineWorktrees(context, await live());
  const pruned = await Promise.all(examined.map(pruneOne));
  if (!dryRun)
    await releaseUnusedPorts(worktreesIn(context.home), async ({ path, maker }) => {
      if (await exists(recordFile({ path }))) return true;
      return (await context.health(maker)) !== "dead";
    });
  return pruned;
}

const PROCESSES = 4;

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
  const { record, info } = examined;
  try {
    if (await isTaken(examined, live)) return { ...info, state: "live", removed: false };
    const parked = info.state === "dirty" ? await parkChanges(examined, context) : undefined;
    const hasWork = info.state === "dirty" || info.state === "unmerged";
    if (info.state === "unmerged") requireBranch(examined);
    const deletedBranch = await removeWorktree(record, {
      ...context,
      force: record.maker !== undefined,
      branchAt: hasWork ? "" : info.head,
    });
    return {
      ...info,
      removed: true,
      ...(parked !== undefined && { parked }),
      ...(deletedBranch !== undefined && { deletedBranch }),
    };
  } catch (error) {
    return { ...info, removed: false, problem: reasonOf(error) };
  }
}

/** True if a session has started in the worktree, or another prune has removed it, since it was examined. */
async function isTaken(
  { record }: ExaminedWorktree,
  live: () => Promise<readonly SessionInfo[]>,
): Promise<boolean> {
  if (!(await readRecord(recordFile(record)))) return true;
  return (await live()).some(({ cwd }) => `${cwd}/`.startsWith(`${record.path}/`));
}

/** Commits all changes of a worktree on its branch, and returns the commit. */
async function parkChanges(examined: ExaminedWorktree, { env }: WorktreeContext): Promise<string> {
  const { record, gitDir, status } = examined;
  if (gitDir === undefined || !status)
    throw new Error(`git no longer knows ${record.path}. Save its files, then delete it`);
  if (status.isBusy)
    throw new Error("a merge, rebase or similar is in progress. Finish or abort it first");
  requireBranch(examined);
  await removeCopies(record);
  const git = { gitDir, workTree: record.path, env };
  const message = `Uncommitted changes of session ${record.sessionId}`;
  await runGit(["add", "--all"], git);
  await runGit(["commit", "--quiet", "--no-verify", "-m", message], git);
  return gitText(["rev-parse", "HEAD"], git);
}

/** Commits that no branch contains would be lost with the worktree. */
function requireBranch({ status }: ExaminedWorktree): void {
  if (status?.branch !== undefined) return;
  throw new Error('no branch is checked out. Run "git switch -c NAME" in the worktree first');
}
