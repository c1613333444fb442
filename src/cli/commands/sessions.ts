import { type Command, Option } from "commander";
import type { SessionsOptions } from "../actions/sessions.ts";
import { sessionStates } from "../choices.ts";
import { examples } from "../examples.ts";
import { addLabel, listFormatOption, toLimit } from "../options.ts";

export function addSessions(program: Command): void {
  program
    .command("sessions")
    .description("List sessions, newest first")
    .option("-r, --runtime <name>", "only sessions of this runtime")
    .option("-C, --cwd <directory>", "only sessions of this directory")
    .addOption(new Option("--state <state>", "only sessions in this state").choices(sessionStates))
    .option(
      "--label <name=value>",
      "only sessions with this label; may be given several times",
      addLabel,
    )
    .option("-n, --limit <count>", "how many to list", toLimit, 20)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard sessions", "the last twenty"],
        ["halyard sessions --state running", "what is at work now"],
        ["halyard sessions --cwd .", "the sessions of this directory"],
        ["halyard sessions --label gt.rig=greenplace", "those of one rig"],
        ["halyard sessions --format json | jq -r .id", "for programs"],
      ]),
    )
    .action(async (options: SessionsOptions) => {
      await import("../parse-rarely.ts");
      const { sessions } = await import("../actions/sessions.ts");
      process.exitCode = await sessions(options);
    });
}
