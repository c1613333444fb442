import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Deletes the runtime's own record of a session, if the adapter implements `forget`. */
export async function forgetNatively(
  { adapters, hosts, directories }: HalyardParts,
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
