import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import { toFirstDay } from "./first-day.ts";
import type { UsageOptions } from "./usage.ts";

export function addUsageCommand(program: Command): void {
  program
    .command("usage")
    .description("Show tokens, cost and time by day, runtime, project or model")
    .option(
      "--since <time>",
      "first day: an age such as 7d, or a date such as 2026-11-10 (default: all)",
      (text) => toFirstDay(text, new Date()),
    )
    .addOption(
      new Option("--by <group>", "rows of the table")
        .choices(["day", "runtime", "project", "model"])
        .default("day"),
    )
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard usage --since 7d", "show the last seven days"],
        ["halyard usage --by runtime", "show the usage of each runtime"],
        ["halyard usage --format json | jq .total", "print only the total"],
      ]),
    )
    .action(async (options: UsageOptions) => {
      const { usage } = await import("./usage.ts");
      process.exitCode = await usage(options);
    });
}
