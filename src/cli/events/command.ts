import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, toCount } from "../options.ts";
import type { EventsOptions } from "./events.ts";

export function addEvents(program: Command): void {
  program
    .command("events")
    .description("Show the events of a session")
    .argument("<session>", SESSION)
    .option("--after <seq>", "show only events after this number", toCount, 0)
    .option("-f, --follow", "wait for new events")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard events ses_k3", "print all events so far"],
        ["halyard events ses_k3 --follow --format json", "print each event as it arrives"],
      ]),
    )
    .action(async (session: string, options: EventsOptions) => {
      const { events } = await import("./events.ts");
      process.exitCode = await events(session, options);
    });
}
