import type { Command } from "commander";
import { examples } from "../examples.ts";
import { formatOption } from "../options.ts";
import type { DemoOptions } from "./demo.ts";
import type { DemoWebOptions } from "./demo-web.ts";

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("Run a real agent on a scripted model, without a key or an account")
    .addOption(formatOption())
    .option("--web", "show three agents at work on the page, until Ctrl-C")
    .option("--no-browser", "print a link to the page instead of opening it")
    .addHelpText(
      "after",
      examples([
        ["halyard demo", "let Pi write a file and run it"],
        ["halyard demo --web", "watch three agents in the browser and answer one of them"],
        ["halyard demo --format json", "print the events as JSON, one per line"],
      ]),
    )
    .action(async (options: DemoOptions & DemoWebOptions & { readonly web?: boolean }) => {
      if (options.web === true) {
        const { demoWeb } = await import("./demo-web.ts");
        process.exitCode = await demoWeb(options);
        return;
      }
      const { demo } = await import("./demo.ts");
      process.exitCode = await demo(options);
    });
}
