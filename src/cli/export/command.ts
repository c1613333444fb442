import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { SESSION } from "../options.ts";
import type { ExportOptions } from "./export.ts";

export function addExport(program: Command): void {
  program
    .command("export")
    .description("Write a session with its complete log to a file")
    .argument("<session>", SESSION)
    .option("--html <file>", "write a page that shows the session without a server")
    .addOption(
      new Option("--format <format>", "jsonl for one event per line, json for one document")
        .choices(["jsonl", "json"])
        .default("jsonl")
        .conflicts("html"),
    )
    .addHelpText(
      "after",
      examples([
        ["halyard export api --html api.html", "one file to send to a colleague"],
        ["halyard export api > api.jsonl", "one event per line"],
        ["halyard export api --format json | jq .session", "the session and its events"],
      ]),
    )
    .action(async (session: string, options: ExportOptions) => {
      const { exportSession } = await import("./export.ts");
      process.exitCode = await exportSession(session, options);
    });
}
