import { basename } from "node:path";
import type { Host, HostProcess } from "../../core/host.ts";
import { withEnding } from "../../core/with-ending.ts";
import { Server } from "./server.ts";
import { ServerFiles } from "./server-files.ts";
import { readWhereabouts } from "./whereabouts.ts";

/**
 * The server that a session was on when whoever held it went away. To end it is to give up the session's claim: the
 * server ends with the last of them.
 */
export async function findSharedProcess(place: {
  readonly host: Host;
  readonly runDir: string;
}): Promise<HostProcess | undefined> {
  const { server: serverRunDir } = (await readWhereabouts(place.runDir)) ?? {};
  if (serverRunDir === undefined) return undefined;
  const process = await place.host.attach(serverRunDir);
  if (process === undefined) return undefined;
  const files = new ServerFiles(serverRunDir);
  const session = basename(place.runDir);
  return withEnding(process, {
    async terminate({ graceMs }) {
      await files.unclaim(session);
      if ((await files.claims()).length > 0) return process.detach();
      await endServer(process, files, graceMs);
    },
  });
}

async function endServer(process: HostProcess, files: ServerFiles, graceMs: number): Promise<void> {
  const secret = await files.read().catch(() => undefined);
  if (secret === undefined || (await process.health()) !== "alive") {
    await process.terminate({ graceMs });
    return files.remove();
  }
  const server = new Server({ process, files, password: secret.password });
  await Promise.race([server.ready, server.gone]).catch(() => {}); // then it is ended by a signal alone
  await server.stop(graceMs);
}
