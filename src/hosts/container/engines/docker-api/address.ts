import type { ContainerEngineName } from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";

/** The address of a Docker or Podman engine. */
export interface EngineAddress {
  readonly engine: Exclude<ContainerEngineName, "apple">;
  /** The address in `DOCKER_HOST` format. */
  readonly url: string;
  readonly target:
    | { readonly socketPath: string }
    | { readonly host: string; readonly port: number };
}

/**
 * Parses an address in `DOCKER_HOST` format: `unix:///path`, or `tcp://host:port` or `http://host:port` without
 * encryption. Throws `invalid_config` for any other address.
 */
export function parseAddress(engine: EngineAddress["engine"], url: string): EngineAddress {
  const socket = /^unix:\/\/(\/.+)$/.exec(url)?.[1];
  if (socket !== undefined) return { engine, url, target: { socketPath: socket } };
  const [, host, port] = /^(?:tcp|http):\/\/([^/:]+):(\d+)\/?$/.exec(url) ?? [];
  if (host !== undefined) return { engine, url, target: { host, port: Number(port) } };
  const variable = engine === "docker" ? "DOCKER_HOST" : "CONTAINER_HOST";
  throw new HalyardError(
    "invalid_config",
    `The container engine address ${url} is invalid. Set ${variable} to unix:///path or tcp://host:port.`,
  );
}
