import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, TIME, toLimit, toTime } from "../options.ts";
import type { SearchCommandOptions } from "./search.ts";

export function addSearch(program: Command): void {
  program
    .command("search")
    .description("Search the messages and tool calls of all sessions")
    .argument("<words...>", "words, and phrases in double quotes: '\"foreign key\"'")
    .option("-s, --session <session>", `search only this session; repeatable (${SESSION})`, addTo)
    .option("-r, --runtime <name>", "search only sessions of this runtime")
    .option("-C, --cwd <directory>", "search only sessions of this directory")
    .option("--project <id>", "search only sessions of this project")
    .option("--since <time>", `search only events since this time: ${TIME}`, (text) => toTime(text))
    .option("--until <time>", `search only events before this time: ${TIME}`, (text) =>
      toTime(text),
    )
    .addOption(
      new Option("--order <order>", "newest hits first, or the most relevant of the newest 300")
        .choices(["newest", "relevance"])
        .default("newest"),
    )
    .option("-n, --limit <count>", "maximum number of hits", toLimit, 20)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard search migration users", "find events that contain both words"],
        ["halyard search '\"foreign key\"'", "find a phrase"],
        [
          "halyard search src/index.ts --cwd .",
          "find a file name in the sessions of this directory",
        ],
        ["halyard search migration --since 7d", "search only the last seven days"],
        ["halyard search deadlock --order relevance", "print the best hits first"],
        ["halyard search timeout --format json | jq -r .sessionId", "print only the session ids"],
      ]),
    )
    .action(async (words: string[], options: SearchCommandOptions) => {
      const { search } = await import("./search.ts");
      process.exitCode = await search(words.join(" "), options);
    });
}

function addTo(text: string, list: readonly string[] = []): string[] {
  return [...list, text];
}
