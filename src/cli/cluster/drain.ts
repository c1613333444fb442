import { setTimeout } from "node:timers/promises";
import { connectCluster } from "../../cluster/connect.ts";
import { DRAINED } from "../../cluster/drain.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { openConsole } from "../console/console.ts";
import { nodesOf, type OpenCluster, withCluster } from "./with-cluster.ts";

export interface DrainOptions {
  /** False for `--no-move`. */
  readonly move: boolean;
}

/**
 * Takes a machine out of service: its sessions stop after their turns and, if `move`, continue on other machines.
 * Returns 1 if a session could not be moved, otherwise 0.
 */
export async function drain(machine: string, { move }: DrainOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  return withCluster(console, async (cluster) => {
    const nodes = await nodesOf(cluster.registry, machine);
    const running = nodes.reduce((sum, { sessions }) => sum + sessions, 0);
    for (const { id } of nodes) {
      const request = JSON.stringify({ drain: true });
      await cluster.connection.request(cluster.subjects.control(id), request, { timeout: 5_000 });
    }
    await err.write(
      `${machine} no longer accepts new sessions. Waiting for the turns of its sessions (${running}) to end.\n`,
    );
    await untilEmpty(cluster, machine);
    const stopped = (await sessionsOn(cluster, machine)).filter(({ reason }) => reason === DRAINED);
    let failed = 0;
    for (const { id } of move ? stopped : []) {
      try {
        await out.write(`${id} continues on ${await resume(cluster, id)}\n`);
      } catch (error) {
        failed++;
        await err.write(`${id} stays on ${machine}: ${reasonOf(error)}\n`);
      }
    }
    await out.write(
      `${machine} is drained. Stop its worker, or run "halyard --cluster ${cluster.address} cluster uncordon ${machine}" to use it again.\n`,
    );
    return failed === 0 ? 0 : 1;
  });
}

async function sessionsOn({ connection, cluster }: OpenCluster, machine: string) {
  await using halyard = await connectCluster(connection, { cluster });
  return (await halyard.sessions()).filter((info) => info.machine === machine);
}

async function resume({ connection, cluster }: OpenCluster, id: string): Promise<string> {
  await using halyard = await connectCluster(connection, { cluster });
  const { info } = await halyard.resume(id);
  return info.machine ?? "";
}

/** Resolves when the machine is drained. Rejects if its lease expires first. */
async function untilEmpty({ registry, address }: OpenCluster, machine: string): Promise<void> {
  for (;;) {
    const nodes = (await registry.list({ fresh: true })).filter((node) => node.machine === machine);
    if (nodes.length === 0)
      throw new HalyardError(
        "machine_unreachable",
        `The machine ${machine} stopped responding. Run "halyard --cluster ${address} cluster nodes" to list the machines.`,
      );
    if (nodes.every(({ drained }) => drained)) return;
    await setTimeout(POLL_MS);
  }
}

const POLL_MS = 250;
