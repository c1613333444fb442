import { availableParallelism } from "node:os";
import type { ContainerSpec } from "../../contracts/container-engine.ts";
import { type ContainerPlan, containerPaths, INSIDE } from "./container-paths.ts";
import { DEFAULT_IMAGE } from "./image/default-image.ts";
import type { ContainerUser } from "./user.ts";

/** The label that contains the container directory. Only Halyard's containers have this label. */
export const DIRECTORY_LABEL = "halyard.directory";
/** The label that contains the project whose sessions share the container. */
export const PROJECT_LABEL = "halyard.project";

export const containerName = ({ key }: ContainerPlan): string => `halyard-${key}`;

/** Returns the memory limit of a container in MiB. Defaults to 4,096. */
export const memoryMbOf = ({ options }: ContainerPlan): number => options.memoryMb ?? 4096;

/**
 * Returns a container specification with minimal rights: the given user, a read-only root file system, and write access
 * only to the workspace and to some of the container's own directories.
 */
export function specFor(plan: ContainerPlan, { uid, gid }: ContainerUser): ContainerSpec {
  const { directory, workspace, project, options } = plan;
  const { run, sessions, routes, shared } = containerPaths(directory);
  const { image = DEFAULT_IMAGE, network = "bridge", pids = 512 } = options;
  // an engine rejects a limit above the machine's number of CPUs
  const { cpus = Math.min(2, availableParallelism()) } = options;
  return {
    name: containerName(plan),
    image,
    command: ["sleep", "infinity"],
    labels: {
      [DIRECTORY_LABEL]: directory,
      ...(project !== undefined && { [PROJECT_LABEL]: project }),
    },
    env: { HOME },
    user: `${uid}:${gid}`,
    workdir: workspace,
    mounts: [
      { source: workspace, target: workspace, readOnly: false },
      { source: sessions, target: sessions, readOnly: false },
      { source: shared, target: INSIDE.shared, readOnly: false },
      { source: routes, target: INSIDE.routes, readOnly: true },
      { source: run, target: run, readOnly: true },
    ],
    tmpfs: { "/tmp": IN_MEMORY, [HOME]: IN_MEMORY },
    network,
    readOnlyRoot: true,
    memoryBytes: memoryMbOf(plan) * 1024 * 1024,
    cpus,
    pids,
  };
}

const HOME = "/home/agent";

/**
 * Mount options for in-memory directories. World-writable, because Podman does not support an owner here; the container
 * has only one user.
 */
const IN_MEMORY = "rw,exec,nosuid,nodev,size=1g,mode=1777";
