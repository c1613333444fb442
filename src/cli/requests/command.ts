import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION } from "../options.ts";
import type { RequestsOptions } from "./requests.ts";
import type { RulesOptions } from "./rules.ts";

/** Adds `requests`, `answer` and `rules`: the commands for agents' permission requests and questions. */
export function addRequests(program: Command): void {
  program
    .command("requests")
    .description("List the open requests of all agents")
    .argument("[session]", `list only requests of this session: ${SESSION}`)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([["halyard requests", "show what each agent wants to do and how to answer"]]),
    )
    .action(async (session: string | undefined, options: RequestsOptions) => {
      const { requests } = await import("./requests.ts");
      process.exitCode = await requests(session, options);
    });
  program
    .command("answer")
    .description("Answer an agent's request")
    .argument("<request>", "request id, or at least the first 4 characters after req_")
    .argument(
      "<reply...>",
      '"yes", "no, REASON", "always", the number of an option, or the text of an answer',
    )
    .addHelpText(
      "after",
      examples([
        ["halyard answer req_k3x9 yes", "allow the request once"],
        [
          "halyard answer req_k3x9 always",
          "allow the request, and later requests that the rule covers",
        ],
        [
          'halyard answer req_k3x9 "no, use /tmp instead"',
          "deny the request; the agent reads the reason",
        ],
        ["halyard answer req_k3x9 2", "choose the second option"],
      ]),
    )
    .action(async (request: string, reply: string[]) => {
      const { answer } = await import("./requests.ts");
      process.exitCode = await answer(request, reply);
    });
  program
    .command("rules")
    .description('List or revoke the rules that "always" answers created in a session')
    .argument("<session>", SESSION)
    .option("--revoke <rules...>", "rules to revoke, by id")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard rules api", "list each rule with its id and scope"],
        ["halyard rules api --revoke rule_k3x9…", "revoke a rule, so that the session asks again"],
      ]),
    )
    .action(async (session: string, options: RulesOptions) => {
      const { rules } = await import("./rules.ts");
      process.exitCode = await rules(session, options);
    });
}
