import type { ConnectRequest } from "../contracts/adapter.ts";
import type { HostProcess } from "../contracts/host.ts";
import { HalyardError } from "../errors/error.ts";

/** Returns the running program of a session. Rejects with `lost` if the program is no longer running. */
export async function findRunning(
  { host, runDir }: Pick<ConnectRequest, "host" | "runDir">,
  displayName: string,
): Promise<HostProcess> {
  const running = await host.attach(runDir);
  if (running) return running;
  throw new HalyardError(
    "lost",
    `${displayName} is no longer running. Resume the session to restart ${displayName}.`,
  );
}
