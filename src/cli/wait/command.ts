import { type Command, Option } from "commander";
import { untils } from "../choices.ts";
import { examples } from "../examples.ts";
import { listFormatOption, SESSION, toSeconds } from "../options.ts";
import type { WaitOptions } from "./wait.ts";

export function addWait(program: Command): void {
  program
    .command("wait")
    .description("Wait until sessions are idle")
    .argument("<sessions...>", SESSION)
    .addOption(
      new Option(
        "--until <event>",
        "idle: no turn is running or queued; done: the current turn has ended; request: a request is open; ended: the session has ended",
      )
        .choices(untils)
        .default("idle"),
    )
    .option("-t, --timeout <seconds>", "stop waiting after this time (exit code 124)", toSeconds)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
While it waits, the command prints every open request on standard error, with the commands that answer it.
The exit code is that of the last turn, even if that turn ended before the wait: 0 if it completed,
130 if it was cancelled, otherwise the code of its error, usually 1. If the session failed or was lost, the exit code is that
of the session's error. With several sessions, it is the first code that is not 0. With --until request, it is 0.
${examples([
  ["halyard wait api && git push", "push if the last turn succeeded"],
  ["halyard wait api web docs", "wait for several sessions"],
  ["halyard wait api --until request", "wait until a person must answer"],
])}`,
    )
    .action(async (sessions: string[], options: WaitOptions) => {
      const { wait } = await import("./wait.ts");
      process.exitCode = await wait(sessions, options);
    });
}
