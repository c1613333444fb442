import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION } from "../options.ts";
import type { RewindOptions } from "./rewind.ts";

export function addRewind(program: Command): void {
  program
    .command("rewind")
    .description("Restore the files of a session to an earlier state")
    .argument("<session>", SESSION)
    .requiredOption(
      "--to <checkpoint>",
      "state to restore: start, a turn (number or id) for the state at its end, or a commit",
    )
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
Halyard first records the current files, and prints the command that restores them. Ignored files, large files and nested
repositories stay as they are. The conversation does not change.
${examples([
  ["halyard rewind api --to 3", "restore the files as they were at the end of turn 3"],
  ["halyard rewind api --to start", "restore the files as they were at the start of the session"],
])}`,
    )
    .action(async (session: string, options: RewindOptions) => {
      const { rewind } = await import("./rewind.ts");
      process.exitCode = await rewind(session, options);
    });
}
