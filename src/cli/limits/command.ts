import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { LimitsOptions } from "./limits.ts";

export function addLimits(program: Command): void {
  program
    .command("limits")
    .description("Show the usage limits of every account, as last reported by a session")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard limits", "show how much of each window is used, and when it resets"],
        ["halyard limits --format json", "print one account per line"],
        ['halyard start --on-limit wait "…"', "start a session that waits for the reset"],
      ]),
    )
    .action(async (options: LimitsOptions) => {
      const { limits } = await import("./limits.ts");
      process.exitCode = await limits(options);
    });
}
