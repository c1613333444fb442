import { type Command, Option } from "commander";
import type { RequestsOptions } from "../actions/requests.ts";
import type { RulesOptions } from "../actions/rules.ts";
import type { WaitOptions } from "../actions/wait.ts";
import { untils } from "../choices.ts";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, toSeconds } from "../options.ts";

/** Who waits for whom: agents for answers, people for agents. */
export function addWaiting(program: Command): void {
  program
    .command("requests")
    .description("List open requests of agents")
    .argument("[session]", `only of this one: ${SESSION}`)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([["halyard requests", "what each agent wants to do, and how to answer"]]),
    )
    .action(async (session: string | undefined, options: RequestsOptions) => {
      const { requests } = await import("../actions/requests.ts");
      process.exitCode = await requests(session, options);
    });
  program
    .command("answer")
    .description("Answer a request of an agent")
    .argument("<request>", "its id, or at least 4 characters of it")
    .argument(
      "<reply...>",
      "yes; no with a reason; the number of an option; or the words of an answer",
    )
    .addHelpText(
      "after",
      examples([
        ["halyard answer req_k3x9 yes", "allow it, this once"],
        ["halyard answer req_k3x9 always", "allow it, and what its last option covers"],
        ['halyard answer req_k3x9 "no, use /tmp instead"', "deny it; the agent reads the reason"],
        ["halyard answer req_k3x9 2", "the second option"],
      ]),
    )
    .action(async (request: string, reply: string[]) => {
      const { answer } = await import("../actions/requests.ts");
      process.exitCode = await answer(request, reply);
    });
  program
    .command("rules")
    .description('List what a session allows because of an "always", or revoke it')
    .argument("<session>", SESSION)
    .option("--revoke <rules...>", "ids of rules that no longer apply")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard rules api", "each rule with its id and all it covers"],
        ["halyard rules api --revoke rule_k3x9…", "ask again from now on"],
      ]),
    )
    .action(async (session: string, options: RulesOptions) => {
      const { rules } = await import("../actions/rules.ts");
      process.exitCode = await rules(session, options);
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
