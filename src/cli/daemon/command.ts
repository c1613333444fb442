import { type Command, Option } from "commander";
import { HalyardError } from "../../errors/error.ts";
import { permissionPolicies } from "../choices.ts";
import { examples } from "../examples.ts";
import { listFormatOption, toCount, toPort, toSeconds } from "../options.ts";
import type { DaemonStatusOptions } from "./daemon-status.ts";
import type { ServeOptions } from "./serve.ts";

export function addDaemon(program: Command): void {
  program
    .command("serve")
    .description("Run the daemon in the foreground and serve the HTTP API")
    .option(
      "--port <number>",
      "port to listen on; 0 picks a free one (default: from config/server.json, otherwise 4747)",
      toPort,
    )
    .option(
      "--host <address>",
      "address to listen on (default: from config/server.json, otherwise 127.0.0.1)",
    )
    .option("--expose", "allow an address that other machines can reach")
    .option(
      "--token-file <file>",
      "read the token that clients must send from a file, or from standard input with - (default: HALYARD_TOKEN, otherwise the token file in Halyard's home)",
    )
    .addOption(
      new Option(
        "--mcp-permissions <policy>",
        "actions that sessions of MCP clients at /mcp may perform without asking (default: as configured, otherwise ask; without --mcp-answers, ask denies)",
      ).choices(permissionPolicies),
    )
    .option("--mcp-answers", "let MCP clients answer requests of sessions that they started")
    .addOption(new Option("--token <token>").argParser(refuseToken).hideHelp())
    .addHelpText(
      "after",
      examples([
        ["halyard serve", "print the URL, then serve until Ctrl-C"],
        ["halyard serve --port 0", "listen on a free port"],
        ["halyard serve --host 0.0.0.0 --expose", "accept connections from other machines"],
      ]),
    )
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./serve.ts");
      process.exitCode = await serve(options);
    });
  const daemon = program
    .command("daemon")
    .description("Show, start or stop the daemon")
    .addHelpText(
      "after",
      examples([
        ["halyard daemon status", "show its pid, uptime and sessions"],
        ["halyard daemon stop", "stop the daemon; the next daemon attaches to its sessions"],
      ]),
    );
  daemon
    .command("status")
    .description("Show whether the daemon is running; exit with 4 if it is not")
    .addOption(listFormatOption())
    .action(async (options: DaemonStatusOptions) => {
      const { daemonStatus } = await import("./daemon-status.ts");
      process.exitCode = await daemonStatus(options);
    });
  daemon
    .command("start")
    .description("Start the daemon if it is not running, and show its status")
    .addOption(listFormatOption())
    .action(async (options: DaemonStatusOptions) => {
      const { daemonStart } = await import("./daemon-start.ts");
      process.exitCode = await daemonStart(options);
    });
  daemon
    .command("stop")
    .description("Stop the daemon; sessions continue if their runtime can")
    .action(async () => {
      const { daemonStop } = await import("./daemon-stop.ts");
      process.exitCode = await daemonStop();
    });
  daemon
    .command("run")
    .description("Run the daemon in the foreground without a port")
    .addOption(
      new Option(
        "--idle <seconds>",
        "exit after this time without live sessions and connected clients; 0 means never",
      )
        .argParser((text) => (text === "0" ? toCount(text) : toSeconds(text)))
        .env("HALYARD_IDLE_SECONDS")
        .default(600),
    )
    .action(async (options: { idle: number }) => {
      const { daemonRun } = await import("./daemon-run.ts");
      process.exitCode = await daemonRun(options);
    });
}

/** Rejects a token on the command line, because every user of the machine can read arguments. */
function refuseToken(): never {
  throw new HalyardError(
    "invalid_input",
    "--token is not accepted. Every local user can read the arguments of a process, so this token is no longer secret. Choose another token and pass it with --token-file FILE, with --token-file - on standard input, or in HALYARD_TOKEN.",
  );
}
