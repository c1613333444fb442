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
  const { run: runDir, state: stateDir } = directories(id);
  await adapter.forget?.({ cwd, host, runDir, stateDir, runtimeSessionId });
}
