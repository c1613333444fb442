import { basename } from "node:path";
import { withEnding } from "../../../adapter-kit/with-ending.ts";
import type { Host, HostProcess } from "../../../contracts/host.ts";
import { Server } from "./server.ts";
import { ServerFiles } from "./server-files.ts";
import { readSessionLocation } from "./session-location.ts";

/**
 * Returns the server process of a detached session, or undefined if there is none. Its `terminate` removes the session's
 * claim, and stops the server if no other session has a claim.
 */
export async function findSharedProcess(location: {
  readonly host: Host;
  readonly runDir: string;
}): Promise<HostProcess | undefined> {
  const { server: serverRunDir } = (await readSessionLocation(location.runDir)) ?? {};
  if (serverRunDir === undefined) return undefined;
  const process = await location.host.attach(serverRunDir);
  if (process === undefined) return undefined;
  const files = new ServerFiles(serverRunDir);
  const session = basename(location.runDir);
  return withEnding(process, {
    async terminate({ graceMs }) {
      await files.unclaim(session);
      if (!(await files.retire())) return process.detach();
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
  await Promise.race([server.ready, server.gone]).catch(() => {}); // if this fails, a signal ends the server
  await server.stop(graceMs);
}
