import { HalyardError } from "../../core/error.ts";
import type { ContainerRuntimeName } from "../container-runtime.ts";

/** Where an engine listens. */
export interface EngineAddress {
  readonly engine: Exclude<ContainerRuntimeName, "apple">;
  /** As a user would write it. */
  readonly url: string;
  readonly target:
    | { readonly socketPath: string }
    | { readonly host: string; readonly port: number };
}

/** Reads an address as `DOCKER_HOST` has it: `unix:///path`, or `tcp://host:port` without encryption. */
export function parseAddress(engine: EngineAddress["engine"], url: string): EngineAddress {
  const socket = /^unix:\/\/(\/.+)$/.exec(url)?.[1];
  if (socket !== undefined) return { engine, url, target: { socketPath: socket } };
  const [, host, port] = /^(?:tcp|http):\/\/([^/:]+):(\d+)\/?$/.exec(url) ?? [];
  if (host !== undefined) return { engine, url, target: { host, port: Number(port) } };
  throw new HalyardError(
    "invalid_config",
    `${url} is no address of a container engine that can be used here: unix:///path or tcp://host:port is expected`,
  );
}
