import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { RuntimeExplainOptions } from "../runtime/runtime-explain.ts";

export function addExplain(program: Command): void {
  addExplainOptions(program.command("explain"))
    .description("Show runtime, model, keys, permissions and host of a session started here")
    .addHelpText(
      "after",
      examples([
        ["halyard explain", "what a session gets here, and which file decides"],
        ["halyard explain --runtime codex --format json", "for programs"],
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
    .option("-r, --runtime <name>", "explain this runtime")
    .option("--project <id>", "explain a session of this project, by id, start of an id, or name")
    .option("--agent-id <id>", "explain this agent of agents.list")
    .option("-C, --cwd <directory>", "explain a session in this directory (default: current)")
    .addOption(listFormatOption());
}
