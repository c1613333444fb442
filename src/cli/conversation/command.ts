import type { Command } from "commander";
import { examples } from "../examples.ts";
import { formatOption, listFormatOption, plainOption, SESSION } from "../options.ts";
import type { CompactFlags } from "./compact.ts";
import type { ForkFlags } from "./fork.ts";

/** Declares the commands that work on the conversation of a session. */
export function addConversation(program: Command): void {
  program
    .command("fork")
    .description("Start a session that continues a copy of a conversation")
    .argument("<session>", SESSION)
    .option("--name <name>", "name of the new session")
    .option("--worktree", "work in a separate git worktree")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
The new session has the settings of the old one, which does not change. Both work in the same directory unless the new one
has a worktree. The runtime must have the capability "fork". For other runtimes, use "halyard handoff SESSION --to RUNTIME".
${examples([
  ["halyard fork api --name second-try --worktree", "try another approach and keep the first one"],
])}`,
    )
    .action(async (session: string, options: ForkFlags) => {
      const { forkFrom } = await import("./fork.ts");
      process.exitCode = await forkFrom(session, options);
    });
  program
    .command("compact")
    .description("Replace the conversation of a session with a summary")
    .argument("<session>", SESSION)
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples([["halyard compact api", "compact the session and wait for the summary"]]),
    )
    .action(async (session: string, options: CompactFlags) => {
      const { compactSession } = await import("./compact.ts");
      process.exitCode = await compactSession(session, options);
    });
}
