import type { ConnectRequest } from "./adapter.ts";
import { HalyardError } from "./error.ts";
import type { HostProcess } from "./host.ts";

/** The program that a session still runs on; rejects with `lost` where there is none any more. */
export async function findRunning(
  { host, runDir }: Pick<ConnectRequest, "host" | "runDir">,
  displayName: string,
): Promise<HostProcess> {
  const running = await host.attach(runDir);
  if (running) return running;
  throw new HalyardError("lost", `${displayName} is nowhere to be found`);
}
