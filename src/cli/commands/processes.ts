import type { Command } from "commander";
import type { PsOptions } from "../actions/ps.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";

export function addProcesses(program: Command): void {
  program
    .command("ps")
    .description("List every process that runs for a session.")
    .addOption(listFormatOption())
    .addHelpText("after", examples([["halyard ps", "agents, their tools, and what those started"]]))
    .action(async (options: PsOptions) => {
      const { ps } = await import("../actions/ps.ts");
      process.exitCode = await ps(options);
    });
  program
    .command("reap")
    .description("End what is left of sessions that are over.")
    .addOption(listFormatOption())
    .addHelpText("after", examples([["halyard reap", "nothing of a session that lives"]]))
    .action(async (options: PsOptions) => {
      const { reap } = await import("../actions/ps.ts");
      process.exitCode = await reap(options);
    });
}
