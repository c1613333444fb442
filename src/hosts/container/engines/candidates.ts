import { join } from "node:path";
import {
  type ContainerEngine,
  type ContainerEngineName,
  containerEngineNames,
} from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import { listInWords } from "../../../errors/list-in-words.ts";
import { createAppleEngine } from "./apple/apple-engine.ts";
import { parseAddress } from "./docker-api/address.ts";
import { createDockerEngine } from "./docker-api/docker-engine.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the engines to try, first choice first. Returns only the engine `name`, if there is one; `name` defaults to
 * `CONTAINER_RUNTIME`. `DOCKER_HOST` and `CONTAINER_HOST` replace the default addresses of Docker and Podman.
 */
export function candidates(
  env: Environment,
  name: ContainerEngineName | undefined = configuredEngine(env),
): ContainerEngine[] {
  const names = name === undefined ? autoNames() : [name];
  return names.flatMap((one) =>
    addresses(one, env).map((address) => openEngine(one, address, env)),
  );
}

/** Returns the engine with this name and address. Does not check whether the engine responds. */
export function openEngine(
  name: ContainerEngineName,
  address: string,
  env: Environment,
): ContainerEngine {
  if (name === "apple") return createAppleEngine({ program: address, env });
  return createDockerEngine(parseAddress(name, address));
}

/** Returns the engine that `CONTAINER_RUNTIME` names. Returns undefined for automatic selection. */
function configuredEngine({
  CONTAINER_RUNTIME: name,
}: Environment): ContainerEngineName | undefined {
  if (name === undefined || name === "" || name === "auto") return undefined;
  const known = containerEngineNames.find((one) => one === name);
  if (known) return known;
  throw new HalyardError(
    "invalid_config",
    `CONTAINER_RUNTIME is "${name}", which is not a container engine. Set it to ${listInWords([...containerEngineNames, "auto"], "or")}.`,
  );
}

/** Returns the engines to try if none is configured. Apple Container runs on macOS only. */
function autoNames(): ContainerEngineName[] {
  return containerEngineNames.filter((name) => name !== "apple" || process.platform === "darwin");
}

function addresses(name: ContainerEngineName, env: Environment): string[] {
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
