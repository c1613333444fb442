import type { Command } from "commander";
import type { AttachOptions } from "../actions/attach.ts";
import type { ResumeCommandOptions } from "../actions/resume.ts";
import type { RmOptions } from "../actions/rm.ts";
import type { StopOptions } from "../actions/stop.ts";
import { examples } from "../examples.ts";
import { addModelOptions, formatOption, plainOption, SESSION } from "../options.ts";

/** What is done with a session as a whole. */
export function addRunning(program: Command): void {
  program
    .command("attach")
    .description("Watch a session, answer its requests and send messages")
    .argument("<session>", SESSION)
    .option("--all", "show all turns")
    .addOption(plainOption())
    .addHelpText(
      "after",
      `
Shows the running turn or the last one. Enter sends a line; /help lists the commands. Ctrl-C interrupts the turn.
Ctrl-D leaves, and the session continues.
${examples([["halyard attach api", "leave with Ctrl-D and come back whenever you like"]])}`,
    )
    .action(async (session: string, options: AttachOptions) => {
      const { attach } = await import("../actions/attach.ts");
      process.exitCode = await attach(session, options);
    });
  program
    .command("interrupt")
    .description("End the turn under way; the session goes on.")
    .argument("<session>", SESSION)
    .addHelpText("after", examples([["halyard interrupt api", "as Ctrl-C in attach"]]))
    .action(async (session: string) => {
      const { interrupt } = await import("../actions/interrupt.ts");
      process.exitCode = await interrupt(session);
    });
  const resume = program
    .command("resume")
    .description("Have a session that ended go on.")
    .argument("<session>", SESSION);
  addModelOptions(resume)
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
A key is never kept: it is taken from the environment or from config/models.json again.
${examples([["halyard resume ses_k3", "then halyard send ses_k3 …"]])}`,
    )
    .action(async (session: string, options: ResumeCommandOptions) => {
      const { resume } = await import("../actions/resume.ts");
      process.exitCode = await resume(session, options);
    });
  program
    .command("stop")
    .description("End sessions, their agents and all those started.")
    .argument("[sessions...]", SESSION)
    .option("--all", "every session that lives")
    .addHelpText(
      "after",
      examples([
        ["halyard stop api", "its log stays, and so does what its agent remembers"],
        ["halyard stop --all", "everything"],
      ]),
    )
    .action(async (sessions: string[], options: StopOptions) => {
      const { stop } = await import("../actions/stop.ts");
      process.exitCode = await stop(sessions, options);
    });
  program
    .command("rm")
    .description("End sessions and forget them, with their logs.")
    .argument("<sessions...>", SESSION)
    .option("-y, --yes", "do not ask on a console; without a console nothing is asked")
    .addHelpText("after", examples([["halyard rm api ses_k3", "there is no way back"]]))
    .action(async (sessions: string[], options: RmOptions) => {
      const { rm } = await import("../actions/rm.ts");
      process.exitCode = await rm(sessions, options);
    });
}
