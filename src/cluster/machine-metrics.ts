import { type MetricFamily, toExposition } from "../telemetry/metrics/exposition.ts";
import type { ClusterNode } from "./node.ts";

/** Returns the load and the state of the machines in the Prometheus text format. */
export function machineMetrics(nodes: readonly ClusterNode[]): string {
  const family = (
    name: string,
    help: string,
    samples: readonly { readonly machine: string; readonly value: number }[],
  ): MetricFamily => ({
    name,
    help,
    type: "gauge",
    samples: samples.map(({ machine, value }) => ({ labels: { machine }, value })),
  });
  return toExposition([
    family(
      "halyard_machine_sessions",
      "Live sessions on each machine with a lease.",
      nodes.map(({ machine, sessions }) => ({ machine, value: sessions })),
    ),
    family(
      "halyard_machine_capacity",
      "Maximum number of live sessions on each machine that has a limit.",
      nodes.flatMap(({ machine, capacity }) =>
        capacity === undefined ? [] : [{ machine, value: capacity }],
      ),
    ),
    family(
      "halyard_machine_ready",
      "1 if the machine starts new sessions, 0 if it is cordoned or drained.",
      nodes.map(({ machine, cordoned }) => ({ machine, value: cordoned ? 0 : 1 })),
    ),
  ]);
}
