import { InvalidArgumentError } from "commander";
import type { StartRequest } from "../schema/session/start-request.ts";

/** The options `--host` and `--network`. */
export interface HostFlags {
  readonly host?: HostFlag;
  readonly network?: string;
}

interface HostFlag {
  readonly host: "local" | "tmux" | "container";
  readonly image?: string;
}

/** Parses `local`, `tmux`, `container` or `container:image`. Throws for any other text. */
export function toHost(text: string): HostFlag {
  if (text === "local" || text === "tmux" || text === "container") return { host: text };
  const image = /^container:(.+)$/.exec(text)?.[1];
  if (image !== undefined) return { host: "container", image };
  throw new InvalidArgumentError("Expected local, tmux, container or container:image.");
}

/** Converts the options to the fields of a start request. */
export function hostRequest({
  host,
  network,
}: HostFlags): Pick<StartRequest, "host" | "container"> {
  const container = {
    ...(host?.image !== undefined && { image: host.image }),
    ...(network !== undefined && { network }),
  };
  return {
    ...(host && { host: host.host }),
    ...(Object.keys(container).length > 0 && { container }),
  };
}
