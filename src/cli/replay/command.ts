import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { ReplayOptions } from "./replay.ts";

export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("Convert a runtime's native log to events")
    .argument("<file>", 'native log with one JSON message per line; "-" reads standard input')
    .requiredOption("-r, --runtime <name>", "runtime that wrote the messages")
    .addOption(listFormatOption("json"))
    .addHelpText(
      "after",
      examples([
        ["halyard replay --runtime pi native.jsonl", "print the events, one per line"],
        [
          "halyard replay --runtime pi --format text native.jsonl",
          'print text, as "halyard run" does',
        ],
      ]),
    )
    .action(async (file: string, options: ReplayOptions) => {
      const { replayFile } = await import("./replay.ts");
      process.exitCode = await replayFile(file, options);
    });
}
