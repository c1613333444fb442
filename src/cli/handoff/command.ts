import type { Command } from "commander";
import { examples } from "../examples.ts";
import { addModelOptions, formatOption, plainOption, SESSION } from "../options.ts";
import type { HandoffCommandOptions } from "./handoff.ts";

export function addHandoff(program: Command): void {
  const command = program
    .command("handoff")
    .description("Continue the work of a session with another agent")
    .argument("<session>", SESSION)
    .argument("[message]", 'next task; "-" reads standard input (default: continue)')
    .requiredOption("--to <runtime>", "runtime that continues the work");
  addModelOptions(command)
    .option("--name <name>", "name of the new session")
    .option("-w, --wait", "print the turn and wait for its end")
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      `
The new session works in the same directory. Its agent receives a brief of the old log (goal, latest messages, open
items, changed files) and can read the old log. The memory of the model is not transferred.
${examples([
  ["halyard handoff api --to codex", "continue with Codex, for example after a usage limit"],
  [
    'halyard handoff api --to pi --wait "Only the tests are left"',
    "pass the next task and wait for its turn",
  ],
])}`,
    )
    .action(
      async (session: string, message: string | undefined, options: HandoffCommandOptions) => {
        const { handOff } = await import("./handoff.ts");
        process.exitCode = await handOff(session, message, options);
      },
    );
}
