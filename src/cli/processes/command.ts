import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { PsOptions } from "./ps.ts";

export function addProcesses(program: Command): void {
  program
    .command("ps")
    .description("List the processes of all sessions")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([["halyard ps", "list agents, their tools and all child processes"]]),
    )
    .action(async (options: PsOptions) => {
      const { ps } = await import("./ps.ts");
      process.exitCode = await ps(options);
    });
  program
    .command("reap")
    .description("Kill processes left behind by ended sessions")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([["halyard reap", "kill leftover processes, but not those of live sessions"]]),
    )
    .action(async (options: PsOptions) => {
      const { reap } = await import("./ps.ts");
      process.exitCode = await reap(options);
    });
}
