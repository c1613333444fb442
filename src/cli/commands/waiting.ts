import { type Command, Option } from "commander";
import type { RequestsOptions } from "../actions/requests.ts";
import type { WaitOptions } from "../actions/wait.ts";
import { decisions, untils } from "../choices.ts";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, toSeconds } from "../options.ts";

/** Who waits for whom: agents for answers, people for agents. */
export function addWaiting(program: Command): void {
  program
    .command("requests")
    .description("List what agents wait to have answered.")
    .argument("[session]", `only of this one: ${SESSION}`)
    .addOption(listFormatOption())
    .addHelpText("after", examples([["halyard requests", "with what each agent wants to do"]]))
    .action(async (session: string | undefined, options: RequestsOptions) => {
      const { requests } = await import("../actions/requests.ts");
      process.exitCode = await requests(session, options);
    });
  program
    .command("answer")
    .description("Answer what an agent waits for.")
    .argument("<request>", "its id, or the beginning of it")
    .addArgument(program.createArgument("<decision>", "yes or no").choices(decisions))
    .argument("[text]", "why not; or to a question, the words or the number of an option")
    .addHelpText(
      "after",
      examples([
        ["halyard answer req_k3 allow", "let it"],
        ['halyard answer req_k3 deny "not on main"', "the agent hears why"],
        ["halyard answer req_k3 allow 2", "a question's second option"],
      ]),
    )
    .action(async (request: string, decision: "allow" | "deny", text: string | undefined) => {
      const { answer } = await import("../actions/requests.ts");
      process.exitCode = await answer(request, decision, text);
    });
  program
    .command("wait")
    .description("Wait for a session.")
    .argument("<session>", SESSION)
    .addOption(
      new Option("--until <state>", "it has nothing to do, it asks something, or it has ended")
        .choices(untils)
        .default("idle"),
    )
    .option("-t, --timeout <seconds>", "give up after that time (exit code 124)", toSeconds)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
Exits as the session's last turn did, also one that had ended before: 0 completed, 1 failed, 130 cancelled. A session
that failed or was lost is exit code 1, and one that asks something, where that was waited for, 0.
${examples([
  ["halyard wait api && git push", "once its turns are done, and well"],
  ["halyard wait api --until request", "until it needs somebody"],
])}`,
    )
    .action(async (session: string, options: WaitOptions) => {
      const { wait } = await import("../actions/wait.ts");
      process.exitCode = await wait(session, options);
    });
}
