import type { Command } from "commander";
import { examples } from "../examples.ts";
import {
  addAttachmentOptions,
  addModelOptions,
  addRuntimeOptions,
  addSessionOptions,
  addWorktreeOptions,
  formatOption,
} from "../options.ts";
import type { StartOptions } from "./start.ts";

export function addStart(program: Command): void {
  const command = program
    .command("start")
    .description("Start a session in the background and print its id")
    .argument("[prompt]", 'first task; piped input is appended, and "-" reads only standard input');
  addAttachmentOptions(
    addWorktreeOptions(addSessionOptions(addModelOptions(addRuntimeOptions(command)))),
  )
    .option("--plan", "plan without changing anything")
    .option("--name <name>", "name that commands accept in place of the id")
    .option("--raw", "include the runtime's native messages in events")
    .option(
      "--no-checkpoints",
      'do not record checkpoints, which "halyard diff" and "halyard rewind" need',
    )
    .addOption(formatOption())
    .addHelpText(
      "after",
      examples([
        [
          'halyard start --runtime codex "Fix the failing test"',
          "start a session and print its id immediately",
        ],
        [
          'halyard start --name api -p allow-edits "Add tests"',
          'start a session, then watch it with "halyard attach api"',
        ],
        [
          'halyard start --worktree "Add tests"',
          'work in a git worktree; see "halyard worktree list"',
        ],
        ["id=$(halyard start)", "start a session that waits for its first message"],
      ]),
    )
    .action(async (prompt: string | undefined, options: StartOptions) => {
      const { start } = await import("./start.ts");
      process.exitCode = await start(prompt, options);
    });
}
