import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { WorktreeListOptions, WorktreePruneOptions } from "./worktree.ts";

export function addWorktree(program: Command): void {
  const worktree = program
    .command("worktree")
    .description("List and remove the git worktrees of sessions")
    .addHelpText(
      "after",
      examples([
        ['halyard start --worktree "Add tests"', "start a session in a separate worktree"],
        ["halyard worktree list", "show which worktrees have unmerged changes"],
        ["halyard worktree prune --dry-run", "list the worktrees that a prune would remove"],
      ]),
    );
  worktree
    .command("list")
    .description("List worktrees, newest first")
    .addOption(listFormatOption())
    .action(async (options: WorktreeListOptions) => {
      const { listWorktrees } = await import("./worktree.ts");
      process.exitCode = await listWorktrees(options);
    });
  worktree
    .command("prune")
    .description(
      "Remove worktrees of ended sessions if they have no changes or their changes are merged",
    )
    .option("-n, --dry-run", "list the removable worktrees without removing them")
    .option(
      "--park",
      "also remove worktrees with unmerged changes: commit the changes, and keep the branch",
    )
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
The command never removes the worktree of a live session and never deletes uncommitted changes. Squash merges and rebases
count as merged.
${examples([
  ["halyard worktree prune", "remove worktrees, except those with unmerged changes"],
  [
    "halyard worktree prune --park",
    "also remove worktrees with unmerged changes, and keep their branches",
  ],
])}`,
    )
    .action(async (options: WorktreePruneOptions) => {
      const { pruneWorktrees } = await import("./worktree.ts");
      process.exitCode = await pruneWorktrees(options);
    });
}
