import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION } from "../options.ts";
import type { PullOptions } from "./pull.ts";

export function addPull(program: Command): void {
  program
    .command("pull")
    .description("Apply the changes of a session on another machine to your files")
    .argument("<session>", SESSION)
    .option("-C, --cwd <directory>", "directory that receives the changes (default: current)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
The changes are those up to the end of the last turn, committed or not. Your index, HEAD and branches do not change. If
your files conflict with the changes, nothing is changed.
${examples([
  ["halyard --cluster nats://10.0.0.5 start --upload …", "work on a copy of these files"],
  [
    "halyard --cluster nats://10.0.0.5 pull ses_k3",
    'apply the changes, then review them with "git diff"',
  ],
])}`,
    )
    .action(async (session: string, options: PullOptions) => {
      const { pull } = await import("./pull.ts");
      process.exitCode = await pull(session, options);
    });
}
