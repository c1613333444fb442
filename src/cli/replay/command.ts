import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { ReplayOptions } from "./replay.ts";

export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("Convert the recorded messages of a runtime to events")
    .argument("<file>", 'one JSON message per line; "-" reads standard input')
    .requiredOption("-r, --runtime <name>", "runtime that was recorded")
    .addOption(listFormatOption("json"))
    .addHelpText(
      "after",
      examples([
        ["halyard replay --runtime pi recording.jsonl", "as events, one per line"],
        ["halyard replay --runtime pi --format text recording.jsonl", "as halyard run shows it"],
      ]),
    )
    .action(async (file: string, options: ReplayOptions) => {
      const { replayFile } = await import("./replay.ts");
      process.exitCode = await replayFile(file, options);
    });
}
