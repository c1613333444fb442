import type { Command } from "commander";
import type { StartOptions } from "../actions/start.ts";
import { examples } from "../examples.ts";
import { addModelOptions, addPlaceOptions, addSessionOptions, formatOption } from "../options.ts";

export function addStart(program: Command): void {
  const command = program
    .command("start")
    .description("Start a session that goes on by itself, and print its id.")
    .argument("[prompt]", 'the first task; piped input is appended, and "-" reads only that');
  addSessionOptions(addModelOptions(addPlaceOptions(command)))
    .option("--plan", "look and plan, but change nothing")
    .option("--name <name>", "what to call it, wherever an id is asked for")
    .option("--raw", "keep the agent's own messages in the events")
    .addOption(formatOption())
    .addHelpText(
      "after",
      examples([
        ['halyard start --runtime codex "Fix the failing test"', "prints the session's id at once"],
        ['halyard start --name api -p allow-edits "Add tests"', "then `halyard attach api`"],
        ["id=$(halyard start)", "a session that waits for what is sent to it"],
      ]),
    )
    .action(async (prompt: string | undefined, options: StartOptions) => {
      const { start } = await import("../actions/start.ts");
      process.exitCode = await start(prompt, options);
    });
}
