import type { Command } from "commander";
import type { RuntimeExplainOptions } from "../actions/runtime-explain.ts";
import type { SetDefaultOptions } from "../actions/runtime-set-default.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";

/** `halyard explain`: every setting of a session that is started here without options. */
export function addExplain(program: Command): void {
  addPlaceOptions(program.command("explain"))
    .description("Show runtime, model, keys, permissions and host of a session started here")
    .addHelpText(
      "after",
      examples([
        ["halyard explain", "what a session gets here, and which file decides"],
        ["halyard explain --runtime codex --format json", "for programs"],
      ]),
    )
    .action(async (options: RuntimeExplainOptions) => {
      const { explain } = await import("../actions/explain.ts");
      process.exitCode = await explain(options);
    });
}

function addPlaceOptions(command: Command): Command {
  return command
    .option("-r, --runtime <name>", "as if this one were asked for")
    .option("--project <id>", "as if for this project: its id, the beginning of it, or its name")
    .option("--agent-id <id>", "as if for this agent of agents.list")
    .option("-C, --cwd <directory>", "as if started there (default: here)")
    .addOption(listFormatOption());
}

/** The commands about which agent is run where nobody names one. */
export function addRuntimeChoice(runtime: Command): void {
  addPlaceOptions(runtime.command("explain"))
    .description("Tell which agent a session here would get, and everybody who was asked.")
    .addHelpText(
      "after",
      examples([
        ["halyard runtime explain", "which agent, and which file says so"],
        ["halyard runtime explain --agent-id main --format json", "for programs"],
      ]),
    )
    .action(async (options: RuntimeExplainOptions) => {
      const { runtimeExplain } = await import("../actions/runtime-explain.ts");
      process.exitCode = await runtimeExplain(options);
    });
  const set = runtime.command("set").description("Change what is run where nothing else decides.");
  set
    .command("default")
    .description("Make an agent the default, in config.json of Halyard's home")
    .argument("<name>", "the agent")
    .option("--gas-town", "in ~/.gastown/runtimes.json instead, for Gas Town as well")
    .addHelpText("after", examples([["halyard runtime set default codex", "from now on"]]))
    .action(async (name: string, options: SetDefaultOptions) => {
      const { runtimeSetDefault } = await import("../actions/runtime-set-default.ts");
      process.exitCode = await runtimeSetDefault(name, options);
    });
  runtime
    .command("import")
    .description("Take over the agents of Gas Town into ~/.gastown/runtimes.json.")
    .argument("<file>", "its settings/agents.json")
    .addHelpText("after", examples([["halyard runtime import ~/gt/settings/agents.json", "once"]]))
    .action(async (file: string) => {
      const { runtimeImport } = await import("../actions/runtime-import.ts");
      process.exitCode = await runtimeImport(file);
    });
}
