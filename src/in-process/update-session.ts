import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { parseInput } from "../errors/parse-input.ts";
import { requireSessionId } from "../errors/require-id.ts";
import type { SessionId } from "../schema/id.ts";
import { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";
import { reachOwner, requireRecord } from "../session/recovery/claim.ts";
import type { LiveSession } from "../session/session.ts";
import { changeRecord } from "./change-record.ts";

/**
 * Changes a session: in this process if it runs the session, in another process that runs it, or otherwise only in the
 * store.
 */
export async function updateSession(
  parts: HalyardParts,
  findLive: (id: SessionId) => LiveSession | undefined,
  text: string,
  input: SessionChanges,
): Promise<SessionInfo> {
  const id = requireSessionId(text);
  const changes = parseInput(SessionChanges, input);
  const held = findLive(id);
  if (held && !held.isEnding) return held.update(changes);
  await held?.ended();
  const record = await requireRecord(parts, id);
  const owner = await reachOwner(parts, record);
  return owner ? owner.update(id, changes) : changeRecord(parts, record, changes);
}
