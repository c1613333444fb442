import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION } from "../options.ts";
import type { DiffOptions } from "./diff.ts";

export function addDiff(program: Command): void {
  program
    .command("diff")
    .description("Show what a session changed in its files")
    .argument("<session>", SESSION)
    .option("-t, --turn <turn>", "show only the changes of this turn: its number or id")
    .option("--from <checkpoint>", "earlier state: start, a turn, or a commit (default: start)")
    .option(
      "--to <checkpoint>",
      "later state: now, a turn, or a commit (default: the last checkpoint)",
    )
    .addOption(
      new Option("--agent-only", "leave out the changes between turns").conflicts(["from", "to"]),
    )
    .addOption(
      new Option("--stat", "print the number of changed lines per file").conflicts("nameOnly"),
    )
    .option("--name-only", "print only the names of the files")
    .option("--no-pager", "do not use a pager (PAGER, otherwise less)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard diff api", "show all changes since the session started"],
        ["halyard diff api --turn 3 --stat", "show how much the third turn changed"],
        ["halyard diff api --agent-only", "leave out your own changes between turns"],
        ["halyard diff api --to now", "include changes since the last turn"],
      ]),
    )
    .action(async (session: string, options: DiffOptions) => {
      const { diff } = await import("./diff.ts");
      process.exitCode = await diff(session, options);
    });
}
