import type { SessionInfo } from "../schema/session.ts";
import type { Machine } from "./machine.ts";

/** Has the runtime forget a session that is being removed. */
export async function forgetNatively(
  { adapters, hosts, directories }: Machine,
  session: SessionInfo,
): Promise<void> {
  const { id, runtime, host: hostName, cwd, runtimeSessionId } = session;
  const host = hosts.get(hostName);
  if (host === undefined || runtimeSessionId === undefined) return;
  if (!(await adapters.names()).includes(runtime)) return;
  const adapter = await adapters.load(runtime, hostName);
  const { run: runDir, state: stateDir } = directories(id, session);
  await adapter.forget?.({ cwd, host, runDir, stateDir, runtimeSessionId });
}
