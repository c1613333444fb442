import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { DrainOptions } from "./drain.ts";
import type { NodesOptions } from "./nodes.ts";

export function addCluster(program: Command): void {
  const cluster = program
    .command("cluster")
    .description("Show the machines of a cluster, and take one out of service")
    .addHelpText(
      "after",
      examples([
        ["halyard --cluster nats://10.0.0.5 cluster nodes", "list the machines with their load"],
        ["halyard --cluster nats://10.0.0.5 cluster cordon gpu1", "start no new sessions on gpu1"],
      ]),
    );
  cluster
    .command("nodes")
    .description("List the machines that run a worker, with their load and state")
    .addOption(listFormatOption())
    .action(async (options: NodesOptions) => {
      const { nodes } = await import("./nodes.ts");
      process.exitCode = await nodes(options);
    });
  for (const [name, description] of [
    ["status", "Show servers, streams, machines and sessions"],
    ["doctor", "Check the servers and the machines; exit with 1 if there is a problem"],
  ] as const) {
    cluster
      .command(name)
      .description(description)
      .addOption(listFormatOption())
      .action(async (options: NodesOptions) => {
        const commands = await import("./status.ts");
        process.exitCode = await commands[name](options);
      });
  }
  cluster
    .command("drain")
    .argument("<machine>", "name of the machine")
    .description(
      "Stop the sessions of a machine after their turns and continue them on other machines",
    )
    .option("--no-move", "leave the sessions stopped")
    .action(async (machine: string, options: DrainOptions) => {
      const { drain } = await import("./drain.ts");
      process.exitCode = await drain(machine, options);
    });
  for (const [name, description] of [
    ["cordon", "Start no new sessions on a machine"],
    ["uncordon", "Start new sessions on a machine again"],
  ] as const) {
    cluster
      .command(name)
      .argument("<machine>", "name of the machine")
      .description(description)
      .action(async (machine: string) => {
        const { setCordon } = await import("./nodes.ts");
        process.exitCode = await setCordon(machine, name === "cordon");
      });
  }
}
