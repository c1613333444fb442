import type { Command } from "commander";
import type { ReplayOptions } from "../actions/replay.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";

export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("Tell a recording of an agent's own messages as events.")
    .argument("<file>", 'one JSON message per line; "-" reads standard input')
    .requiredOption("-r, --runtime <name>", "the agent that was recorded")
    .addOption(listFormatOption("json"))
    .addHelpText(
      "after",
      examples([
        ["halyard replay --runtime pi recording.jsonl", "as events, one per line"],
        ["halyard replay --runtime pi --format text recording.jsonl", "as it would have looked"],
      ]),
    )
    .action(async (file: string, options: ReplayOptions) => {
      const { replayFile } = await import("../actions/replay.ts");
      process.exitCode = await replayFile(file, options);
    });
}
