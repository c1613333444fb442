import { type Command, Option } from "commander";
import type { SendOptions } from "../actions/send.ts";
import { examples } from "../examples.ts";
import { formatOption, plainOption, SESSION } from "../options.ts";

export function addSend(program: Command): void {
  program
    .command("send")
    .description("Send a message to a session.")
    .argument("<session>", SESSION)
    .argument("<message>", 'what to say; "-" reads it from standard input')
    .addOption(
      new Option("--steer", "into the turn under way, where the agent can").conflicts("interrupt"),
    )
    .option("--interrupt", "end the turn under way first")
    .option("--no-resume", "fail if the session has stopped, instead of resuming it")
    .option("-w, --wait", "show what comes of it, and exit as its turn does")
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples([
        ['halyard send api "Now the linter"', "behind the turn under way, if there is one"],
        ['halyard send api --steer "Leave the docs alone"', "into it"],
        ['halyard send api --wait --format quiet "In one word?"', "prints the answer only"],
      ]),
    )
    .action(async (session: string, message: string, options: SendOptions) => {
      const { send } = await import("../actions/send.ts");
      process.exitCode = await send(session, message, options);
    });
}
