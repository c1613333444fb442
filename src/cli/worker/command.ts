import type { Command } from "commander";
import { examples } from "../examples.ts";
import { toCount } from "../options.ts";
import type { WorkerFlags } from "./worker.ts";

export function addWorker(program: Command): void {
  program
    .command("worker")
    .description("Run a cluster's sessions on this machine until a signal arrives")
    .requiredOption("--join <address>", "NATS servers of the cluster, separated by commas")
    .option("--cluster-name <name>", "name of the cluster on these servers", "main")
    .option("--machine <name>", "name of this machine (default: host name and a random suffix)")
    .option(
      "--label <label>",
      "label by which sessions select this machine; repeatable",
      collect,
      [],
    )
    .option("--capacity <count>", "maximum number of sessions at the same time", toCount)
    .option(
      "--replicas <count>",
      "number of servers that store each event; applies when the cluster is created",
      toCount,
      1,
    )
    .option(
      "--key-file <file>",
      "file with the key that encrypts the sessions' saved files; the same on all workers",
    )
    .option("--credentials <file>", "file with the JWT and the NKey of a NATS user")
    .option("--ca <file>", "certificate of the authority that signed the servers' certificates")
    .addHelpText(
      "after",
      examples([
        [
          "halyard worker --join nats://10.0.0.5 --label gpu",
          "join the cluster without opening a port",
        ],
        [
          "halyard --cluster nats://10.0.0.5 start --on gpu …",
          "run a session on a machine with this label",
        ],
      ]),
    )
    .action(async (flags: WorkerFlags) => {
      const { worker } = await import("./worker.ts");
      process.exitCode = await worker(flags);
    });
}

function collect(label: string, labels: readonly string[]): string[] {
  return [...labels, label];
}
