import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { SESSION } from "../options.ts";
import type { ExportOptions } from "./export.ts";

export function addExport(program: Command): void {
  program
    .command("export")
    .description("Write a session's log to standard output or to a file")
    .argument("<sessions...>", SESSION)
    .option(
      "--archive <file>",
      'write one or more sessions with their attachments to a file that "halyard import" reads',
    )
    .option("--html <file>", "write an HTML page that shows the session without a server")
    .addOption(
      new Option(
        "--format <format>",
        "jsonl for one event per line, json for one document, markdown for reading",
      )
        .choices(["jsonl", "json", "markdown"])
        .default("jsonl")
        .conflicts(["html", "archive"]),
    )
    .addHelpText(
      "after",
      examples([
        ["halyard export api --html api.html", "write one file to send to a colleague"],
        [
          "halyard export api web --archive work.halyard",
          'write an archive for "halyard import" on another machine',
        ],
        ["halyard export api --format markdown > api.md", "write the conversation as a document"],
        ["halyard export api > api.jsonl", "write one event per line"],
        ["halyard export api --format json | jq .session", "print the session without its events"],
      ]),
    )
    .action(async (sessions: string[], options: ExportOptions) => {
      const { exportSessions } = await import("./export.ts");
      process.exitCode = await exportSessions(sessions, options);
    });
}
