import type { Command } from "commander";
import type { TrustOptions } from "../actions/trust.ts";
import { examples } from "../examples.ts";

export function addTrust(program: Command): void {
  program
    .command("trust")
    .description("Let the files of a directory loosen permissions, set hooks and use your keys.")
    .argument("[directory]", "the directory, with all below it (default: here)")
    .option("--remove", "trust it no longer")
    .addHelpText(
      "after",
      examples([
        ["halyard trust", "this directory, once you know who wrote its halyard.json"],
        ["halyard trust --remove ~/old", "not any more"],
      ]),
    )
    .action(async (directory: string | undefined, options: TrustOptions) => {
      const { trust } = await import("../actions/trust.ts");
      process.exitCode = await trust(directory ?? ".", options);
    });
}
