import { type Command, InvalidArgumentError } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, toCount } from "../options.ts";
import type { PruneCommandOptions } from "./prune.ts";

export function addPrune(program: Command): void {
  program
    .command("prune")
    .description("Delete old ended sessions with their logs, and free their disk space")
    .option(
      "--older-than <age>",
      "delete sessions without activity for this time: 12h, 30d, 8w (default: retention in config.json)",
      toAge,
    )
    .option("--keep <count>", "keep this number of the newest ended sessions", toCount)
    .option("--dry-run", "list the sessions to delete without deleting them")
    .option("-y, --yes", "skip the confirmation (the default without a console)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard prune --older-than 30d --dry-run", "list sessions that are older than 30 days"],
        ["halyard prune --older-than 8w --keep 100", "keep the newest 100 even if they are older"],
        ["halyard prune", "apply the retention setting in config.json now"],
      ]),
    )
    .action(async (options: PruneCommandOptions) => {
      const { prune } = await import("./prune.ts");
      process.exitCode = await prune(options);
    });
}

function toAge(text: string): string {
  if (!/^\d{1,6}[hdw]$/.test(text))
    throw new InvalidArgumentError("Expected an age such as 12h, 30d or 8w.");
  return text;
}
