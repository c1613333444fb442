import { type Command, Option } from "commander";
import { sessionStateNames } from "../choices.ts";
import { examples } from "../examples.ts";
import {
  addLabel,
  addModelOptions,
  formatOption,
  listFormatOption,
  SESSION,
  toLimit,
} from "../options.ts";
import type { ResumeCommandOptions } from "./resume.ts";
import type { RmOptions } from "./rm.ts";
import type { SessionsOptions } from "./sessions.ts";
import type { StopOptions } from "./stop.ts";

export function addSessions(program: Command): void {
  program
    .command("sessions")
    .description("List sessions, newest first")
    .option("-r, --runtime <name>", "list only sessions of this runtime")
    .option("-C, --cwd <directory>", "list only sessions of this directory")
    .addOption(
      new Option("--state <state>", "list only sessions in this state").choices(sessionStateNames),
    )
    .option("--label <name=value>", "list only sessions with this label; repeatable", addLabel)
    .option("-n, --limit <count>", "maximum number of sessions", toLimit, 20)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard sessions", "list the newest 20 sessions"],
        ["halyard sessions --state running", "list sessions with a running turn"],
        ["halyard sessions --cwd .", "list the sessions of this directory"],
        ["halyard sessions --label team=docs", "list the sessions with this label"],
        ["halyard sessions --format json | jq -r .id", "print only the ids"],
      ]),
    )
    .action(async (options: SessionsOptions) => {
      await import("../disable-schema-jit.ts");
      const { sessions } = await import("./sessions.ts");
      process.exitCode = await sessions(options);
    });
}

/** Adds `interrupt`, `resume`, `stop` and `rm`: the commands that change the state of a session. */
export function addSessionControl(program: Command): void {
  program
    .command("interrupt")
    .description("End the running turn and keep the session")
    .argument("<session>", SESSION)
    .addHelpText(
      "after",
      examples([["halyard interrupt api", 'end the turn, as Ctrl-C does in "halyard attach"']]),
    )
    .action(async (session: string) => {
      const { interrupt } = await import("./interrupt.ts");
      process.exitCode = await interrupt(session);
    });
  const resume = program
    .command("resume")
    .description("Resume a stopped, failed, lost or detached session")
    .argument("<session>", SESSION);
  addModelOptions(resume)
    .option("--on <machine>", "machine of the cluster that continues the session: label or name")
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Halyard does not store keys: it reads the key from the environment or from config/models.json again.
${examples([["halyard resume ses_k3", 'resume the session, then run "halyard send ses_k3 …"']])}`,
    )
    .action(async (session: string, options: ResumeCommandOptions) => {
      const { resume } = await import("./resume.ts");
      process.exitCode = await resume(session, options);
    });
  program
    .command("stop")
    .description("Stop sessions and kill their processes")
    .argument("[sessions...]", SESSION)
    .option("--all", 'stop all live sessions, except on machines in "halyard host list"')
    .addHelpText(
      "after",
      examples([
        ["halyard stop api", 'stop a session; "halyard resume api" continues it'],
        ["halyard stop --all", "stop all live sessions"],
      ]),
    )
    .action(async (sessions: string[], options: StopOptions) => {
      const { stop } = await import("./stop.ts");
      process.exitCode = await stop(sessions, options);
    });
  program
    .command("rm")
    .description(
      "Stop sessions and delete their logs, checkpoints, clones and the conversations that the runtimes store",
    )
    .argument("<sessions...>", SESSION)
    .option("-y, --yes", "skip the confirmation (the default without a console)")
    .addHelpText("after", examples([["halyard rm api ses_k3", "delete both sessions permanently"]]))
    .action(async (sessions: string[], options: RmOptions) => {
      const { rm } = await import("./rm.ts");
      process.exitCode = await rm(sessions, options);
    });
}
