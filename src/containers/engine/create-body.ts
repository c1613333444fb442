import type { ContainerSpec } from "../container-runtime.ts";

/** A container in the words of the API, with nothing that it is not given. */
export function createBody(spec: ContainerSpec): Record<string, unknown> {
  return {
    Image: spec.image,
    Entrypoint: spec.command.slice(0, 1),
    Cmd: spec.command.slice(1),
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: spec.labels,
    User: spec.user,
    WorkingDir: spec.workdir,
    HostConfig: {
      // Not as Binds, whose syntax has no place for a colon in a path.
      Mounts: spec.mounts.map(({ source, target, readOnly }) => ({
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
