import type { Command } from "commander";
import type { RuntimeListOptions } from "../actions/runtime-list.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";

export function addRuntime(program: Command): void {
  const runtime = program.command("runtime").description("See and install the agents.");
  runtime
    .command("list")
    .description("List the agents, and what is missing where one cannot run.")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime list", "which agents can run here"],
        ["halyard runtime list --format json", "for programs"],
      ]),
    )
    .action(async (options: RuntimeListOptions) => {
      const { runtimeList } = await import("../actions/runtime-list.ts");
      process.exitCode = await runtimeList(options);
    });
  runtime
    .command("install")
    .description("Fetch an agent into Halyard's home; once it is there this does nothing.")
    .argument("<name>", "the agent; for now pi")
    .addHelpText("after", examples([["halyard runtime install pi", "about 200 MB, from npm"]]))
    .action(async (name: string) => {
      const { runtimeInstall } = await import("../actions/runtime-install.ts");
      process.exitCode = await runtimeInstall(name);
    });
}
