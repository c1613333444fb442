import { join } from "node:path";
import type { ConversationCopy } from "../../contracts/conversation.ts";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { SavedRevision, SavedSessions } from "../../contracts/saved-sessions.ts";
import type { SessionRecord, Writer } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import { EventLog, noOutput } from "../../log/event-log.ts";
import { hasEnded } from "../../log/projection.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SavedSession } from "../../schema/workspace/saved-session.ts";
import { claim } from "../recovery/claim.ts";
import { giveBack } from "../recovery/give-back.ts";
import { clearRun } from "../recovery/recovery.ts";

/** A session that was moved to this machine. */
export interface TakenOver {
  readonly record: SessionRecord;
  readonly writer: Writer;
}

/**
 * Moves a session to this machine. Claims the log, so that the earlier machine can no longer write to it, and restores
 * the files and the conversation from the last save. Rejects with `not_resumable` if the session may still be running on
 * its current machine, if it was not saved, or if its runtime cannot continue a conversation on another machine.
 */
export function takeOver(
  parts: HalyardParts,
  record: SessionRecord,
  conversation: ConversationCopy | undefined,
): Promise<TakenOver> {
  return parts.whileMoving(record.info.id, () => move(parts, record, conversation));
}

async function move(
  parts: HalyardParts,
  record: SessionRecord,
  conversation: ConversationCopy | undefined,
): Promise<TakenOver> {
  const { info } = record;
  const { savedSessions } = parts;
  if (!savedSessions || parts.self.machine === undefined) throw elsewhere(info);
  // A session that has ended and has no owner can be moved even if its machine responds.
  const runsNowhere = hasEnded(info) && record.owner === null;
  if (info.machine !== undefined && !runsNowhere && (await parts.isConnected?.(info.machine)))
    throw elsewhere(info);
  const notSaved = (why: string) => (runsNowhere ? staysThere(info, why) : unreachable(info, why));
  if (conversation === undefined)
    throw notSaved(`${info.runtime} cannot continue a conversation on another machine`);
  const { saved: known } = (await savedSessions.read(info.id)) ?? {};
  if (known === undefined) throw notSaved("it was not saved after a turn");
  if (known.conversation.length === 0)
    throw notSaved(`${info.runtime} had no record of the conversation`);
  const writer = await claim(parts, record);
  try {
    await clearRun(parts, info); // stops the agent that an earlier run on this machine left behind
    const saved = await takeSaved(savedSessions, info.id, parts.self.machine);
    const files = await restoreFiles(parts, savedSessions, info, saved);
    const checkpoint = { commit: saved.commit };
    const moved = movedTo(info, { ...files, machine: parts.self.machine, checkpoint });
    await restoreConversation(parts, savedSessions, moved, { saved, conversation });
    const log = new EventLog(parts, writer, moved);
    const why = runsNowhere
      ? `instead of ${info.machine}`
      : `because ${info.machine} does not respond`;
    const text = `Continues on ${parts.self.machine}, ${why}, ${describe(info, saved)}`;
    await log.append([{ type: "system", subtype: "status", text }], noOutput);
    return { record: { ...record, info: log.info, owner: parts.self }, writer };
  } catch (error) {
    await giveBack(parts, info.id, writer);
    throw error;
  }
}

/**
 * Marks the saved session as continued by this machine. After that, the cluster rejects writes of the earlier machine,
 * so that both machines agree on the last saved turn.
 */
async function takeSaved(
  savedSessions: SavedSessions,
  id: SessionId,
  machine: string,
): Promise<SavedSession> {
  for (let attempt = 1; ; attempt++) {
    const found: SavedRevision | undefined = await savedSessions.read(id);
    if (found === undefined)
      throw new HalyardError(
        "not_resumable",
        `Session ${id} is no longer saved in the cluster, so no other machine can continue it. Run "halyard sessions" to find its machine, then run "halyard resume ${id} --on MACHINE".`,
      );
    try {
      return (await savedSessions.write(id, { ...found.saved, machine }, found)).saved;
    } catch (error) {
      const isOvertaken = error instanceof HalyardError && error.code === "session_owned";
      if (!isOvertaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * The maximum number of attempts. Two are usually enough, because the earlier machine can replace the saved session only
 * once: with the turn that has just ended.
 */
const MAX_ATTEMPTS = 5;

async function restoreFiles(
  { workspaces, checkouts }: HalyardParts,
  savedSessions: SavedSessions,
  { id, checkout }: SessionInfo,
  saved: SavedSession,
): Promise<Pick<SessionInfo, "cwd" | "checkout">> {
  if (!workspaces || !checkouts)
    throw new HalyardError(
      "unsupported",
      `This Halyard instance does not record checkpoints, so it cannot restore the files of ${id}. Run "halyard resume ${id} --on MACHINE" to continue on another machine.`,
    );
  await workspaces.remove(id); // removes the checkpoints that an earlier run on this machine left behind
  const { url, ref, base } = checkout ?? {};
  const path =
    url === undefined
      ? await checkouts.makeEmpty(id, saved.name, { isRepository: saved.isRepository })
      : (await checkouts.clone(id, { url, ...(ref !== undefined && { ref }) }, base)).path;
  const workspace = await workspaces.open(id, path);
  for (const pack of saved.packs) await workspace.addPack(await savedSessions.get(id, pack));
  const start = { branches: { main: saved.base }, head: { branch: "main" } };
  if (saved.heads) await workspace.setHeads(saved.heads);
  else if (url === undefined) await workspace.setHeads(start);
  await workspace.restore(saved.commit, { onBefore: async () => {} });
  const origin = { base: base ?? saved.base, ...(url && { url }), ...(ref && { ref }) };
  return { cwd: join(path, saved.cwd), checkout: { path, ...origin } };
}

async function restoreConversation(
  parts: HalyardParts,
  savedSessions: SavedSessions,
  info: SessionInfo,
  { saved, conversation }: { saved: SavedSession; conversation: ConversationCopy },
): Promise<void> {
  const { id, runtimeSessionId, cwd, accountDir } = info;
  const host = parts.hosts.get(info.host);
  // without these values there is no record to write; the resume reports the reason
  if (host === undefined || runtimeSessionId === undefined) return;
  const files = [];
  for (const { path, content } of saved.conversation)
    files.push({ path, content: await savedSessions.get(id, content) });
  const { run: runDir, state: stateDir } = parts.directories(id, info);
  await conversation.write({ cwd, host, runDir, stateDir, accountDir, runtimeSessionId }, files);
}

/** Returns the session without the fields that are valid only on its earlier machine. */
function movedTo(
  info: SessionInfo,
  place: Pick<SessionInfo, "cwd" | "checkout" | "machine" | "checkpoint">,
): SessionInfo {
  const { worktree: _, record: __, pid: ___, ...kept } = info;
  return { ...kept, ...place };
}

function describe({ turns }: SessionInfo, saved: SavedSession): string {
  const lost = turns - saved.turns;
  const gap =
    lost > 0 ? ` The last ${lost === 1 ? "turn was" : `${lost} turns were`} not saved.` : "";
  return `with the files and the conversation after turn ${saved.turns}.${gap}`;
}

function elsewhere({ id, machine }: SessionInfo): HalyardError {
  return new HalyardError(
    "not_resumable",
    `The files of ${id} are on the machine ${machine}, so the session cannot be resumed on this machine. Run "halyard resume ${id} --on ${machine}".`,
  );
}

/** Returns the error for a session that is not running and cannot leave its machine. The machine may be reachable. */
function staysThere({ id, machine }: SessionInfo, why: string): HalyardError {
  return new HalyardError(
    "not_resumable",
    `Session ${id} cannot leave the machine ${machine}: ${why}. Run "halyard resume ${id} --on ${machine}" to continue it there. If ${machine} does not respond, start its worker first: "halyard worker --join ADDRESS".`,
  );
}

function unreachable({ id, machine }: SessionInfo, why: string): HalyardError {
  return new HalyardError(
    "not_resumable",
    `The machine ${machine}, which holds the files of ${id}, does not respond, and the session cannot continue on another machine: ${why}. Start the worker on ${machine} again: "halyard worker --join ADDRESS". To delete the session instead, run "halyard rm ${id}".`,
  );
}
