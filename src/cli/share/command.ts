import { type Command, InvalidArgumentError, Option } from "commander";
import { examples } from "../examples.ts";
import { SESSION } from "../options.ts";
import type { ShareOptions } from "./share.ts";

export function addShare(program: Command): void {
  program
    .command("share")
    .description("Print a link with which browsers can read one session until the link expires")
    .argument("[session]", `${SESSION}; lists the links if omitted`)
    .addOption(
      new Option("--for <time>", "lifetime of the link: 30m, 12h, 7d, at most 30d")
        .argParser(toLifetime)
        .default(86_400_000, "1d"),
    )
    .option(
      "--expose",
      "let other machines in the network open the link; the port serves only shared sessions",
    )
    .option("--revoke", "revoke all links to the session")
    .addHelpText(
      "after",
      `
The page shows the conversation and the changes, live. It cannot send, answer or stop anything. The connection is not
encrypted: use --expose only in a network that you trust.
${examples([
  ["halyard share api", "print a link for this machine, valid for one day"],
  [
    "halyard share api --expose --for 2h",
    "print a link for a colleague or a phone in this network",
  ],
  ["halyard share", "list the links"],
  ["halyard share api --revoke", "revoke the links to this session"],
])}`,
    )
    .action(async (session: string | undefined, options: ShareOptions) => {
      const { share } = await import("./share.ts");
      process.exitCode = await share(session, options);
    });
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function toLifetime(text: string): number {
  const [, amount = "", unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === "m" || unit === "h" || unit === "d" ? unitMs[unit] : 0);
  if (ms > 0 && ms <= 30 * unitMs.d) return ms;
  throw new InvalidArgumentError("Expected a time such as 30m, 12h or 7d, at most 30d.");
}
