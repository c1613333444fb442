import { type Command, Option } from "commander";
import { HalyardError } from "../../core/error.ts";
import type { DaemonStatusOptions } from "../actions/daemon-status.ts";
import type { ServeOptions } from "../actions/serve.ts";
import { examples } from "../examples.ts";
import { listFormatOption, toCount, toPort, toSeconds } from "../options.ts";

export function addDaemon(program: Command): void {
  program
    .command("serve")
    .description("Run the daemon here, and answer over HTTP.")
    .option(
      "--port <number>",
      "the port to listen on; 0 is any that is free (default: config/server.json's, or 4747)",
      toPort,
    )
    .option(
      "--host <address>",
      "the address to listen on (default: config/server.json's, or 127.0.0.1)",
    )
    .option("--expose", "let other machines reach it, if the address does")
    .option(
      "--token-file <file>",
      "read the token that clients must send from a file, or from standard input with - (default: HALYARD_TOKEN, or the home's token file)",
    )
    .addOption(new Option("--token <token>").argParser(refuseToken).hideHelp())
    .addHelpText(
      "after",
      examples([
        ["halyard serve", "prints its URL on the first line"],
        ["halyard serve --port 0", "any port that is free"],
        ["halyard serve --host 0.0.0.0 --expose", "for other machines too"],
      ]),
    )
    .action(async (options: ServeOptions) => {
      const { serve } = await import("../actions/serve.ts");
      process.exitCode = await serve(options);
    });
  const daemon = program
    .command("daemon")
    .description("See and stop what keeps sessions going.")
    .addHelpText(
      "after",
      examples([
        ["halyard daemon status", "whether it runs, since when, and what it holds"],
        ["halyard daemon stop", "sessions go on, and the next command takes hold of them again"],
      ]),
    );
  daemon
    .command("status")
    .description("Tell whether the daemon runs; exits with 4 where it does not.")
    .addOption(listFormatOption())
    .action(async (options: DaemonStatusOptions) => {
      const { daemonStatus } = await import("../actions/daemon-status.ts");
      process.exitCode = await daemonStatus(options);
    });
  daemon
    .command("stop")
    .description("End the daemon. Sessions go on where their agents can.")
    .action(async () => {
      const { daemonStop } = await import("../actions/daemon-stop.ts");
      process.exitCode = await daemonStop();
    });
  daemon
    .command("run")
    .description("Run the daemon here, without a port: what other commands do when they need it.")
    .addOption(
      new Option("--idle <seconds>", "end after so long without a session that lives; 0 is never")
        .argParser((text) => (text === "0" ? toCount(text) : toSeconds(text)))
        .env("HALYARD_IDLE_SECONDS")
        .default(600),
    )
    .action(async (options: { idle: number }) => {
      const { daemonRun } = await import("../actions/daemon-run.ts");
      process.exitCode = await daemonRun(options);
    });
}

/** Arguments are visible to every user of the machine. */
function refuseToken(): never {
  throw new HalyardError(
    "invalid_input",
    "--token is not accepted. Every local user can read the arguments of a process, so choose another token. Pass it with --token-file FILE, with --token-file - on standard input, or in HALYARD_TOKEN.",
  );
}
