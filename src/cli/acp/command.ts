import type { Command } from "commander";
import { examples } from "../examples.ts";
import { toHost } from "../host-flag.ts";
import { addModelOptions } from "../options.ts";
import type { AcpFlags } from "./acp.ts";

export function addAcp(program: Command): void {
  const command = program
    .command("acp")
    .description("Serve any runtime as an ACP agent on standard input and output, for editors")
    .option("-r, --runtime <name>", "runtime (default: as configured, otherwise pi)")
    .option("--command <line>", "command line of the agent, for --runtime acp")
    .option("--url <address>", "address of a remote agent, for --runtime acp: wss://host/acp")
    .option(
      "--host <host>",
      "local, tmux, container or container:image (default: as configured)",
      toHost,
    )
    .option(
      "--network <name>",
      'container network; "none" blocks everything except the model endpoint',
    );
  addModelOptions(command)
    .option("--plan", "plan without changing anything, until the editor changes the mode")
    .option("--daemon", "run sessions in the daemon, where turns continue after the editor closes")
    .option(
      "--no-daemon",
      "run sessions in this process (default: in the daemon, if it is running)",
    )
    .option("--install", "install the ACP package and exit, so that no editor has to wait for it")
    .addHelpText(
      "after",
      examples([
        ["halyard acp --runtime codex", "enter this command in an editor as its agent"],
        ["halyard acp --install", "install the package before the first use"],
      ]),
    )
    .action(async (options: AcpFlags) => {
      const { acp } = await import("./acp.ts");
      process.exitCode = await acp(options);
    });
}
