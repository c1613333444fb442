import { availableParallelism } from "node:os";
import type { ContainerSpec } from "../../containers/container-runtime.ts";
import { DEFAULT_IMAGE } from "../../containers/image/default-image.ts";
import { INSIDE, type Place, placePaths } from "./place.ts";
import type { ContainerUser } from "./user.ts";

/** The labels by which containers of ours are told from others. */
export const PLACE_LABEL = "halyard.place";
export const PROJECT_LABEL = "halyard.project";

export const containerName = ({ key }: Place): string => `halyard-${key}`;

export const memoryMbOf = ({ options }: Place): number => options.memoryMb ?? 4096;

/** A container with the least it needs: no root, no capabilities, and no writable directory but its own. */
export function specFor(place: Place, { uid, gid }: ContainerUser): ContainerSpec {
  const { directory, workspace, project, options } = place;
  const { run, sessions, routes, shared } = placePaths(directory);
  const { image = DEFAULT_IMAGE, network = "bridge", pids = 512 } = options;
  const { cpus = Math.min(2, availableParallelism()) } = options; // an engine refuses more than there are
  return {
    name: containerName(place),
    image,
    command: ["sleep", "infinity"],
    labels: {
      [PLACE_LABEL]: directory,
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
    memoryBytes: memoryMbOf(place) * 1024 * 1024,
    cpus,
    pids,
  };
}

const HOME = "/home/agent";

/** For everybody, which is one user: Podman does not take an owner. */
const IN_MEMORY = "rw,exec,nosuid,nodev,size=1g,mode=1777";
