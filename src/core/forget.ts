import type { SessionInfo } from "../schema/session.ts";
import type { Machine } from "./machine.ts";

/** Has the runtime forget a session that is being removed. */
export async function forgetNatively(
  { adapters, hosts, directories }: Machine,
  { id, runtime, host: hostName, cwd, runtimeSessionId }: SessionInfo,
): Promise<void> {
  const host = hosts.get(hostName);
  if (host === undefined || runtimeSessionId === undefined || !adapters.names.includes(runtime)) {
    return;
  }
  const adapter = await adapters.load(runtime);
  await adapter.forget?.({ cwd, host, stateDir: directories(id).state, runtimeSessionId });
}
