import type { Command } from "commander";
import { examples } from "../examples.ts";
import { notifyOption, plainOption, SESSION } from "../options.ts";
import type { AttachOptions } from "./attach.ts";

export function addAttach(program: Command): void {
  program
    .command("attach")
    .description("Watch a session, answer its requests and send messages")
    .argument("<session>", SESSION)
    .option("--all", "show all turns")
    .addOption(plainOption())
    .addOption(notifyOption())
    .addHelpText(
      "after",
      `
The command shows the running turn or the last one. Enter sends a line; /help lists the commands. Ctrl-C interrupts the turn.
Ctrl-D leaves, and the session continues.
${examples([["halyard attach api", "leave with Ctrl-D and attach again later"]])}`,
    )
    .action(async (session: string, options: AttachOptions) => {
      const { attach } = await import("./attach.ts");
      process.exitCode = await attach(session, options);
    });
}
