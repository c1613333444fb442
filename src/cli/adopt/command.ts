import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION } from "../options.ts";
import type { AdoptOptions } from "./adopt.ts";

export function addAdopt(program: Command): void {
  program
    .command("adopt")
    .description("Apply the changes in a session's worktree to your working tree")
    .argument("<session>", SESSION)
    .option("--merge", "merge the session's branch instead of applying all changes as a patch")
    .option("-C, --cwd <directory>", "directory of the repository (default: current)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
A patch contains all changes, committed or not, and leaves the index, HEAD and branches alone. If your changes conflict with
the patch, nothing is changed.
${examples([
  ["halyard adopt api", 'apply the changes, then review them with "git diff"'],
  ["halyard adopt api --merge", "merge the agent's commits"],
])}`,
    )
    .action(async (session: string, options: AdoptOptions) => {
      const { adopt } = await import("./adopt.ts");
      process.exitCode = await adopt(session, options);
    });
}
