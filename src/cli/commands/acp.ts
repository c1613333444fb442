import type { Command } from "commander";
import type { AcpOptions } from "../actions/acp.ts";
import { examples } from "../examples.ts";
import { toHost } from "../host-flag.ts";
import { addModelOptions } from "../options.ts";

export function addAcp(program: Command): void {
  const command = program
    .command("acp")
    .description(
      "Be an ACP agent on standard input and output, for editors: any runtime in any of them.",
    )
    .option("-r, --runtime <name>", "the agent to run (default: halyard.json's, the home's, or pi)")
    .option("--command <line>", "the agent's own command line, for --runtime acp")
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
    .option("--plan", "look and plan, but change nothing, until the editor says otherwise")
    .option(
      "--daemon",
      "run the sessions in the daemon, where a turn goes on when the editor is closed",
    )
    .option("--no-daemon", "run them in this process (default: in the daemon, if one runs)")
    .option("--install", "only fetch what it needs, so that no editor has to wait for that")
    .addHelpText(
      "after",
      examples([
        ["halyard acp --runtime codex", "what to give an editor as the command of an agent"],
        ["halyard acp --install", "before its first use"],
      ]),
    )
    .action(async (options: AcpOptions) => {
      const { acp } = await import("../actions/acp.ts");
      process.exitCode = await acp(options);
    });
}
