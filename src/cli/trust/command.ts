import { type Command, Option } from "commander";
import { listFormats } from "../choices.ts";
import { examples } from "../examples.ts";
import type { TrustOptions } from "./trust.ts";

export function addTrust(program: Command): void {
  program
    .command("trust")
    .description("Let the files in a directory run code, loosen permissions and use your keys")
    .argument("[directory]", "directory, with everything below it (default: current)")
    .addOption(new Option("--remove", "stop trusting the directory").conflicts("explain"))
    .option("--explain", "list the directory's settings and whether each is ignored")
    .addOption(
      new Option("--format <format>", "output format of --explain")
        .choices(listFormats)
        .default("text"),
    )
    .addHelpText(
      "after",
      examples([
        ["halyard trust", "trust this directory, after you have read its files"],
        ["halyard trust --explain", "list the effects of its settings"],
        ["halyard trust --remove ~/old", "stop trusting ~/old"],
      ]),
    )
    .action(async (directory: string | undefined, options: TrustOptions) => {
      const { explain = false } = options;
      if (explain) {
        const { explainTrust } = await import("./trust-explain.ts");
        process.exitCode = await explainTrust(directory ?? ".", options);
        return;
      }
      const { trust } = await import("./trust.ts");
      process.exitCode = await trust(directory ?? ".", options);
    });
}
