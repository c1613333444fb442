import { HalyardError } from "../errors/error.ts";
import type { ClusterNode } from "./node.ts";

/** A session's requirements for its worker. */
export interface PlacementRequest {
  /** A label, or the name of a machine. If omitted, any worker qualifies. */
  readonly on?: string | undefined;
  /** The runtime of the session. Workers on which it is available are preferred. */
  readonly runtime?: string | undefined;
  /** The id of the worker to prefer if several workers have the same load. */
  readonly prefers?: string | undefined;
}

/**
 * Returns the workers on which a session can start, the least loaded one first. Throws `no_machine` with the reason if
 * there is none.
 */
export function placeSession(
  nodes: readonly ClusterNode[],
  { on, runtime, prefers }: PlacementRequest,
): ClusterNode[] {
  if (nodes.length === 0)
    throw new HalyardError(
      "no_machine",
      'No worker of the cluster is connected. Run "halyard worker --join ADDRESS" on a machine.',
    );
  const selected = nodes.filter((node) => on === undefined || isSelected(node, on));
  if (selected.length === 0)
    throw new HalyardError(
      "no_machine",
      `No worker has the label or name "${on}". Workers: ${describe(nodes)}. Choose one of them, or start a worker with "--label ${on}".`,
    );
  const open = selected.filter(({ cordoned }) => !cordoned);
  if (open.length === 0)
    throw new HalyardError(
      "no_machine",
      `No matching worker accepts new sessions: ${describe(selected)}. Run "halyard --cluster ADDRESS cluster uncordon MACHINE", or start another worker.`,
    );
  const installed = open.filter(({ runtimes }) => runtime && runtimes.includes(runtime));
  // If no worker has the runtime, the chosen worker reports why it cannot run the session.
  const capable = installed.length > 0 ? installed : open;
  const free = capable.filter(({ capacity, sessions }) => sessions < (capacity ?? Infinity));
  if (free.length === 0)
    throw new HalyardError(
      "no_machine",
      `All matching workers are at capacity: ${describe(capable)}. Stop a session, start another worker, or try again later.`,
    );
  const rank = (node: ClusterNode) => (node.id === prefers ? 0 : 1);
  return free.toSorted((one, other) => load(one) - load(other) || rank(one) - rank(other));
}

/** True if `on` is the name of the machine or one of its labels. */
export function isSelected({ labels, machine }: ClusterNode, on: string): boolean {
  return machine === on || labels.includes(on);
}

/**
 * Returns the fraction of a worker's capacity that is in use. Assumes a default capacity for a worker without a limit.
 */
function load({ sessions, capacity = DEFAULT_CAPACITY }: ClusterNode): number {
  return sessions / capacity;
}

function describe(nodes: readonly ClusterNode[]): string {
  return nodes
    .slice(0, 10)
    .map(({ machine, labels }) => (labels.length ? `${machine} (${labels.join(", ")})` : machine))
    .join(", ");
}

const DEFAULT_CAPACITY = 100;
