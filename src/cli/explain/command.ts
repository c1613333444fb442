import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { RuntimeExplainOptions } from "../runtime/runtime-explain.ts";

export function addExplain(program: Command): void {
  addExplainOptions(program.command("explain"))
    .description("Show the runtime, model, keys, permissions and host of a session started here")
    .addHelpText(
      "after",
      examples([
        ["halyard explain", "show the settings of a session started here, and their sources"],
        ["halyard explain --runtime codex --format json", "print one JSON object per setting"],
      ]),
    )
    .action(async (options: RuntimeExplainOptions) => {
      const { explain } = await import("./explain.ts");
      process.exitCode = await explain(options);
    });
}

/** Adds the options that select the session to explain. */
export function addExplainOptions(command: Command): Command {
  return command
    .option("-r, --runtime <name>", "explain a session with this runtime")
    .option(
      "--project <id>",
      "explain a session in this project: its id, the start of its id, or its name",
    )
    .option("--agent-id <id>", "explain a session of this agent in agents.list")
    .option("-C, --cwd <directory>", "explain a session in this directory (default: current)")
    .addOption(listFormatOption());
}
