import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { HostAddOptions, HostListOptions } from "./host.ts";

export function addHost(program: Command): void {
  const host = program
    .command("host")
    .description("Manage other machines whose sessions Halyard lists over ssh")
    .addHelpText(
      "after",
      examples([
        [
          "halyard host add gpu1 ssh://me@gpu1",
          "list the sessions of gpu1 together with local ones",
        ],
        ['halyard start --on gpu1 -C /srv/app "Add tests"', "start a session on gpu1"],
        ["halyard host list", "show which machines respond"],
      ]),
    );
  host
    .command("add")
    .description("Add a machine that ssh reaches without a password prompt")
    .argument("<name>", "name of the machine in lists and for --on")
    .argument("<address>", "ssh://user@host:port, user@host, or a host in ~/.ssh/config")
    .option("--command <line>", "command that runs Halyard on the machine (default: halyard)")
    .option("--no-check", "add the machine without testing the connection")
    .action(async (name: string, address: string, options: HostAddOptions) => {
      const { hostAdd } = await import("./host.ts");
      process.exitCode = await hostAdd(name, address, options);
    });
  host
    .command("list")
    .description("List the machines and show whether they respond")
    .addOption(listFormatOption())
    .action(async (options: HostListOptions) => {
      const { hostList } = await import("./host.ts");
      process.exitCode = await hostList(options);
    });
  host
    .command("remove")
    .description("Remove a machine from the list; its sessions continue")
    .argument("<name>", "name of the machine")
    .action(async (name: string) => {
      const { hostRemove } = await import("./host.ts");
      process.exitCode = await hostRemove(name);
    });
}
