import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { addAttachmentOptions, formatOption, plainOption, SESSION } from "../options.ts";
import type { SendFlags } from "./send.ts";

export function addSend(program: Command): void {
  const command = program
    .command("send")
    .description("Send a message to a session")
    .argument("<session>", SESSION)
    .argument(
      "[message]",
      'text to send; piped input is appended, and "-" reads only standard input',
    );
  addAttachmentOptions(command)
    .addOption(
      new Option(
        "--steer",
        "add the message to the running turn, if the runtime supports it",
      ).conflicts("interrupt"),
    )
    .option("--interrupt", "end the running turn first")
    .option("--no-resume", "fail if the session has stopped, instead of resuming it")
    .option("-w, --wait", "show the turn and exit with its code")
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples([
        [
          'halyard send api "Now the linter"',
          "queue the message behind the running turn, if there is one",
        ],
        ['halyard send api --steer "Leave the docs alone"', "add the message to the running turn"],
        ['halyard send api --image screen.png "The button is cut off"', "attach an image"],
        [
          'halyard send api --wait --format quiet "In one word?"',
          "wait, and print only the answer",
        ],
      ]),
    )
    .action(async (session: string, message = "", options: SendFlags) => {
      const { send } = await import("./send.ts");
      process.exitCode = await send(session, message, options);
    });
}
