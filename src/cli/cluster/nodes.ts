import type { ClusterNode } from "../../cluster/node.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { table } from "../text/table.ts";
import { nodesOf, withCluster } from "./with-cluster.ts";

export interface NodesOptions {
  readonly format: "text" | "json";
}

/** Lists the machines of the cluster that the environment names. */
export async function nodes({ format }: NodesOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  const found = await withCluster(console, ({ registry }) => registry.list());
  if (format === "json") for (const node of found) await out.write(`${JSON.stringify(node)}\n`);
  else if (found.length === 0)
    await err.write('No worker is connected. Run "halyard worker --join ADDRESS" on a machine.\n');
  else {
    const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
    const [heading = "", ...lines] = table([HEADINGS, ...found.map(row)], { columns });
    await out.write(`${out.colors.bold(heading)}\n`);
    for (const line of lines) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
  return 0;
}

/** Makes a machine accept or reject new sessions. */
export async function setCordon(machine: string, isCordoned: boolean): Promise<number> {
  const console = openConsole();
  await withCluster(console, async ({ registry, connection, subjects }) => {
    for (const { id } of await nodesOf(registry, machine)) {
      const request = JSON.stringify({ cordoned: isCordoned });
      await connection.request(subjects.control(id), request, { timeout: 5_000 });
    }
  });
  await console.out.write(
    isCordoned
      ? `${machine} no longer accepts new sessions. Its sessions continue.\n`
      : `${machine} accepts new sessions again.\n`,
  );
  return 0;
}

const HEADINGS = ["MACHINE", "SESSIONS", "LABELS", "STATE", "VERSION", "RUNTIMES"];

function row(node: ClusterNode): string[] {
  const { machine, sessions, capacity, labels, cordoned, version, runtimes } = node;
  const { draining, drained } = node;
  const load = capacity === undefined ? `${sessions}` : `${sessions}/${capacity}`;
  const state = drained ? "drained" : draining ? "draining" : cordoned ? "cordoned" : "ready";
  return [machine, load, labels.join(" "), state, version, runtimes.join(" ")];
}
