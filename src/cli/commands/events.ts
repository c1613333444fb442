import type { Command } from "commander";
import type { EventsOptions } from "../actions/events.ts";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, toCount } from "../options.ts";

export function addEvents(program: Command): void {
  program
    .command("events")
    .description("Show what happened in a session.")
    .argument("<session>", SESSION)
    .option("--after <seq>", "only what came after this event", toCount, 0)
    .option("-f, --follow", "wait for more")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard events ses_k3", "the whole story"],
        ["halyard events ses_k3 --follow --format json", "every event as it comes"],
      ]),
    )
    .action(async (session: string, options: EventsOptions) => {
      const { events } = await import("../actions/events.ts");
      process.exitCode = await events(session, options);
    });
}
