import { type Command, Option } from "commander";
import type { TrustOptions } from "../actions/trust.ts";
import { listFormats } from "../choices.ts";
import { examples } from "../examples.ts";

export function addTrust(program: Command): void {
  program
    .command("trust")
    .description("Let the files of a directory run code, loosen permissions and use your keys")
    .argument("[directory]", "the directory, with all below it (default: here)")
    .addOption(new Option("--remove", "trust it no longer").conflicts("explain"))
    .option("--explain", "list the settings of the directory, and which of them are ignored")
    .addOption(
      new Option("--format <format>", "how --explain prints").choices(listFormats).default("text"),
    )
    .addHelpText(
      "after",
      examples([
        ["halyard trust", "this directory, once you know who wrote its files"],
        ["halyard trust --explain", "what its files would do"],
        ["halyard trust --remove ~/old", "not any more"],
      ]),
    )
    .action(async (directory: string | undefined, options: TrustOptions) => {
      const { explain = false } = options;
      if (explain) {
        const { explainTrust } = await import("../actions/trust-explain.ts");
        process.exitCode = await explainTrust(directory ?? ".", options);
        return;
      }
      const { trust } = await import("../actions/trust.ts");
      process.exitCode = await trust(directory ?? ".", options);
    });
}
