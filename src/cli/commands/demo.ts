import type { Command } from "commander";
import type { DemoOptions } from "../actions/demo.ts";
import { examples } from "../examples.ts";
import { formatOption } from "../options.ts";

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("Watch a real agent work on a scripted model: no key, no account, no network.")
    .addOption(formatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard demo", "Pi writes a file and runs it"],
        ["halyard demo --format json", "the same, as the events a program sees"],
      ]),
    )
    .action(async (options: DemoOptions) => {
      const { demo } = await import("../actions/demo.ts");
      process.exitCode = await demo(options);
    });
}
