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
    .description("Wait until sessions are idle")
    .argument("<sessions...>", SESSION)
    .addOption(
      new Option(
        "--until <event>",
        "idle: no turn runs or waits; done: the turn that runs now has ended; request: a request is open; ended: the session is over",
      )
        .choices(untils)
        .default("idle"),
    )
    .option("-t, --timeout <seconds>", "give up after this time (exit code 124)", toSeconds)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
Prints every open request on standard error, with the command that answers it.
The exit code is that of the last turn, even if it ended earlier: 0 completed, 1 failed, 130 cancelled. A session that
failed or was lost gives 1. With several sessions it is the first code that is not 0. --until request gives 0.
${examples([
  ["halyard wait api && git push", "push if its last turn succeeded"],
  ["halyard wait api web docs", "wait for several sessions"],
  ["halyard wait api --until request", "wait until a person must answer"],
])}`,
    )
    .action(async (sessions: string[], options: WaitOptions) => {
      const { wait } = await import("../actions/wait.ts");
      process.exitCode = await wait(sessions, options);
    });
}
