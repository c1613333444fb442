import type { Adapter } from "../../contracts/adapter.ts";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { CheckpointsParts } from "../checkpoints.ts";
import { SessionSaver } from "./session-saver.ts";

/**
 * Returns the function that saves a session for other machines of the cluster after each turn. Returns undefined if no
 * other machine could continue the session.
 */
export function createSaver(
  { savedSessions, self, hosts, directories }: HalyardParts,
  options: {
    readonly adapter: Adapter;
    readonly info: SessionInfo;
    readonly current: () => SessionInfo;
  },
): Pick<CheckpointsParts, "save"> | undefined {
  const { adapter, info, current } = options;
  const host = hosts.get(info.host);
  const { conversation } = adapter;
  if (!savedSessions || !conversation || !host || self.machine === undefined) return undefined;
  if (info.host === "container") return undefined;
  const { run: runDir, state: stateDir } = directories(info.id, info);
  const { cwd, accountDir } = info;
  const paths = { cwd, host, runDir, stateDir, accountDir };
  const parts = { savedSessions, machine: self.machine, info: current, conversation, paths };
  const saver = new SessionSaver(parts);
  return { save: (workspace, { commit }) => saver.save(workspace, commit) };
}
