import type { ContainerSpec, Mount } from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";
import type { EngineAddress } from "./address.ts";

/**
 * Returns the request body that creates a container without Linux capabilities. Throws `start_failed` if Podman cannot
 * mount one of the paths.
 */
export function createBody(
  spec: ContainerSpec,
  engine: EngineAddress["engine"],
): Record<string, unknown> {
  // Bind syntax does not allow a colon in a path, and Podman's other mount syntax does not allow a comma.
  const isBind = ({ source, target }: Mount) =>
    engine === "podman" && !`${source}${target}`.includes(":");
  const binds = spec.mounts.filter(isBind);
  const others = spec.mounts.filter((mount) => !isBind(mount));
  const unusable = others.find(({ source, target }) => /,/.test(source + target));
  if (engine === "podman" && unusable)
    throw new HalyardError(
      "start_failed",
      `Podman cannot mount ${unusable.source}, because the path contains a colon and a comma. Rename the directory, or set HALYARD_HOME to another directory.`,
    );
  return {
    Image: spec.image,
    Entrypoint: spec.command.slice(0, 1),
    Cmd: spec.command.slice(1),
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: spec.labels,
    User: spec.user,
    WorkingDir: spec.workdir,
    HostConfig: {
      Binds: binds.map(
        ({ source, target, readOnly }) => `${source}:${target}:${readOnly ? "ro" : "rw"}`,
      ),
      Mounts: others.map(({ source, target, readOnly }) => ({
        Type: "bind",
        Source: source,
        Target: target,
        ReadOnly: readOnly,
      })),
      Tmpfs: spec.tmpfs,
      NetworkMode: spec.network,
      ReadonlyRootfs: spec.readOnlyRoot,
      Memory: spec.memoryBytes,
      MemorySwap: spec.memoryBytes, // equal to Memory, which disables swap
      NanoCpus: Math.round(spec.cpus * 1e9),
      PidsLimit: spec.pids,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Init: true, // an init process that exits on SIGTERM and reaps orphaned processes
    },
  };
}
