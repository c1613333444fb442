import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { DaemonEndpoint } from "../../daemon/run.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Console } from "../console/console.ts";

export interface EndpointOptions {
  readonly console: Console;
  readonly version: string;
  readonly log: (line: string) => void;
}

/** An endpoint that is loaded on demand. */
interface LoadedEndpoint extends Omit<DaemonEndpoint, "path" | "upgrade"> {
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Creates an endpoint that is loaded when its first request arrives, because most daemons never receive one. */
export function lazyEndpoint(
  path: DaemonEndpoint["path"],
  load: () => Promise<LoadedEndpoint>,
): DaemonEndpoint {
  let opening: Promise<LoadedEndpoint> | undefined;
  let opened: LoadedEndpoint | undefined;
  const open = async (): Promise<LoadedEndpoint> => {
    opening ??= load();
    try {
      opened = await opening;
      return opened;
    } catch (error) {
      opening = undefined; // retry at the next request, because the package may be installed later
      throw error;
    }
  };
  return {
    path,
    get connections() {
      return opened?.connections ?? 0;
    },
    fetch: async (request) => (await open()).fetch(request),
    upgrade: async (...upgrade) => {
      const endpoint = await open();
      if (!endpoint.upgrade)
        throw new HalyardError(
          "not_found",
          `${path} does not accept WebSocket connections. Send HTTP requests instead.`,
        );
      endpoint.upgrade(...upgrade);
    },
    async close() {
      await opened?.close();
    },
  };
}
