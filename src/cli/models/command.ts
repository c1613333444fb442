import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { ModelsFlags } from "./models.ts";

export function addModels(program: Command): void {
  program
    .command("models")
    .description("List the models that a runtime offers")
    .argument("[runtime]", "runtime (default: as configured, otherwise pi)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard models codex", "list the models of your Codex account"],
        ['halyard run -r codex -m "$(halyard models codex | head -1)" "Hi"', "use the first model"],
      ]),
    )
    .action(async (runtime: string | undefined, options: ModelsFlags) => {
      const { models } = await import("./models.ts");
      process.exitCode = await models(runtime, options);
    });
}
