import type { Command } from "commander";
import { examples } from "../examples.ts";
import { formatOption } from "../options.ts";
import type { DemoOptions } from "./demo.ts";

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("Run a real agent on a scripted model, without a key, an account or a network")
    .addOption(formatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard demo", "Pi writes a file and runs it"],
        ["halyard demo --format json", "print the events that a program gets"],
      ]),
    )
    .action(async (options: DemoOptions) => {
      const { demo } = await import("./demo.ts");
      process.exitCode = await demo(options);
    });
}
