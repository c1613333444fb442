import { join } from "node:path";
import { HalyardError } from "../core/error.ts";
import { createAppleRuntime } from "./apple/apple-runtime.ts";
import {
  type ContainerRuntime,
  type ContainerRuntimeName,
  containerRuntimeNames,
} from "./container-runtime.ts";
import { parseAddress } from "./engine/address.ts";
import { createEngineRuntime } from "./engine/engine-runtime.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where engines may be, the likeliest first: of the one that `CONTAINER_RUNTIME` names, or of all. Addresses that the
 * engines' own variables name (`DOCKER_HOST`, `CONTAINER_HOST`) are the only ones of that engine.
 */
export function candidates(
  env: Environment,
  name: ContainerRuntimeName | undefined = asked(env),
): ContainerRuntime[] {
  const names = name === undefined ? autoNames() : [name];
  return names.flatMap((one) =>
    addresses(one, env).map((address) => openRuntime(one, address, env)),
  );
}

/** An engine by its name and address, as `ContainerRuntime` tells them. */
export function openRuntime(
  name: ContainerRuntimeName,
  address: string,
  env: Environment,
): ContainerRuntime {
  if (name === "apple") return createAppleRuntime({ program: address, env });
  return createEngineRuntime(parseAddress(name, address));
}

/** Undefined where it is left to us. */
function asked({ CONTAINER_RUNTIME: name }: Environment): ContainerRuntimeName | undefined {
  if (name === undefined || name === "" || name === "auto") return undefined;
  const known = containerRuntimeNames.find((one) => one === name);
  if (known) return known;
  throw new HalyardError(
    "invalid_config",
    `CONTAINER_RUNTIME is ${name}; it can be ${containerRuntimeNames.join(", ")} or auto`,
  );
}

/** Apple's is for macOS alone. */
function autoNames(): ContainerRuntimeName[] {
  return containerRuntimeNames.filter((name) => name !== "apple" || process.platform === "darwin");
}

function addresses(name: ContainerRuntimeName, env: Environment): string[] {
  const { DOCKER_HOST, CONTAINER_HOST, HOME, XDG_RUNTIME_DIR: runtimeDir } = env;
  switch (name) {
    case "docker":
      if (DOCKER_HOST) return [DOCKER_HOST];
      return [
        "unix:///var/run/docker.sock",
        ...(runtimeDir ? [`unix://${join(runtimeDir, "docker.sock")}`] : []),
        ...(HOME && process.platform === "darwin"
          ? [`unix://${join(HOME, ".docker/run/docker.sock")}`]
          : []),
      ];
    case "podman":
      if (CONTAINER_HOST) return [CONTAINER_HOST];
      return [
        ...(runtimeDir ? [`unix://${join(runtimeDir, "podman/podman.sock")}`] : []),
        "unix:///run/podman/podman.sock",
      ];
    case "apple":
      return ["container"];
  }
}
