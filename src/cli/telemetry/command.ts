import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { SESSION, TIME, toTime } from "../options.ts";
import type { TelemetryExportOptions } from "./telemetry-export.ts";

export function addTelemetry(program: Command): void {
  const telemetry = program
    .command("telemetry")
    .description("Send traces of sessions to an OpenTelemetry receiver");
  telemetry
    .command("export")
    .description("Send the spans of past turns, with the same ids as live spans")
    .option("--since <time>", `send only spans that ended since this time: ${TIME}`, (text) =>
      toTime(text),
    )
    .option(
      "-s, --session <session>",
      `send only the spans of this session; repeatable (${SESSION})`,
      addTo,
    )
    .option(
      "--endpoint <url>",
      "OTLP receiver, protobuf over HTTP (default: telemetry in config.json, or OTEL_EXPORTER_OTLP_ENDPOINT)",
    )
    .option("--content", "include messages, tool inputs and tool outputs")
    .addOption(
      new Option("--format <format>", "otlp to send the spans, json to print one span per line")
        .choices(["otlp", "json"])
        .default("otlp"),
    )
    .addHelpText(
      "after",
      examples([
        [
          "halyard telemetry export --since 1d",
          "send the last 24 hours to the configured receiver",
        ],
        [
          "halyard telemetry export -s api --endpoint http://127.0.0.1:4318",
          "send the spans of one session",
        ],
        ["halyard telemetry export --format json | jq .name", "print the names of the spans"],
      ]),
    )
    .action(async (options: TelemetryExportOptions) => {
      const { telemetryExport } = await import("./telemetry-export.ts");
      process.exitCode = await telemetryExport(options);
    });
}

function addTo(text: string, list: readonly string[] = []): string[] {
  return [...list, text];
}
