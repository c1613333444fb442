import { type ClusterReport, inspectCluster } from "../../cluster/inspection.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { table } from "../text/table.ts";
import type { NodesOptions } from "./nodes.ts";
import { withCluster } from "./with-cluster.ts";

/** Prints the cluster's servers, streams, machines and sessions. */
export async function status({ format }: NodesOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  const report = await withCluster(console, ({ connection, cluster }) =>
    inspectCluster(connection, cluster),
  );
  const lines = format === "json" ? [JSON.stringify(report)] : describe(report);
  for (const line of lines) await out.write(`${line}\n`);
  throwIfUnwritable(console);
  return 0;
}

/** Prints the cluster's problems, each with advice. Returns 1 if there are any, otherwise 0. */
export async function doctor({ format }: NodesOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  const { problems, machines, streams, server } = await withCluster(
    console,
    ({ connection, cluster }) => inspectCluster(connection, cluster),
  );
  if (format === "json")
    for (const problem of problems) await out.write(`${JSON.stringify(problem)}\n`);
  else if (problems.length === 0)
    await out.write(
      `No problems: NATS ${server.version}, ${streams.length} streams, ${count(machines.length, "machine")}.\n`,
    );
  else
    for (const { problem, advice } of problems)
      await out.write(`${problem}.\n  ${out.colors.dim(advice)}\n`);
  throwIfUnwritable(console);
  return problems.length === 0 ? 0 : 1;
}

function describe({ cluster, server, streams, machines, ...report }: ClusterReport): string[] {
  const { sessions, unreachable, problems } = report;
  const states = Object.entries(sessions).map(([state, number]) => `${number} ${state}`);
  const full = machines.reduce((sum, one) => sum + one.sessions, 0);
  return [
    `Cluster   ${cluster} at ${server.address} (NATS ${server.version})`,
    `Machines  ${machines.map(({ machine }) => machine).join(", ") || "none"}, ${count(full, "live session")}`,
    `Sessions  ${states.join(", ") || "none"}${unreachable.length > 0 ? `; ${unreachable.length} unreachable` : ""}`,
    ...table([
      ["STREAM", "MESSAGES", "SIZE", "REPLICAS", "LEADER"],
      ...streams.map(({ name, messages, bytes, replicas, leader = "" }) => [
        name,
        String(messages),
        `${(bytes / 2 ** 20).toFixed(1)} MiB`,
        String(replicas),
        leader,
      ]),
    ]),
    ...(problems.length > 0
      ? [
          `${count(problems.length, "problem")}. Run "halyard --cluster ${server.address} cluster doctor" for advice.`,
        ]
      : []),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
