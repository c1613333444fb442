import { HalyardError } from "../../core/error.ts";
import type { ContainerSpec, Mount } from "../container-runtime.ts";
import type { EngineAddress } from "./address.ts";

/** A container in the words of the API, with nothing that it is not given. */
export function createBody(
  spec: ContainerSpec,
  engine: EngineAddress["engine"],
): Record<string, unknown> {
  // The syntax of a bind has no place for a colon in a path, and Podman's way with other mounts none for a comma.
  const isBind = ({ source, target }: Mount) =>
    engine === "podman" && !`${source}${target}`.includes(":");
  const binds = spec.mounts.filter(isBind);
  const others = spec.mounts.filter((mount) => !isBind(mount));
  if (engine === "podman" && others.some(({ source, target }) => /,/.test(source + target)))
    throw new HalyardError(
      "start_failed",
      "Podman mounts no directory whose path has a colon and a comma. Rename it, or set HALYARD_HOME to another.",
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
      MemorySwap: spec.memoryBytes, // the same as Memory: no swap on top
      NanoCpus: Math.round(spec.cpus * 1e9),
      PidsLimit: spec.pids,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Init: true, // ends at once when asked to, and reaps what its programs leave behind
    },
  };
}
