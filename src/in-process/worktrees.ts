import { resolve } from "node:path";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import type { SessionId } from "../schema/id.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { SessionInfo } from "../schema/session.ts";
import {
  type Adopted,
  AdoptRequest,
  type PrunedWorktree,
  PruneRequest,
  type WorktreeInfo,
} from "../schema/workspace/worktree.ts";
import { portVariables } from "../schema/workspace/worktree-environment.ts";
import { requireRecord } from "../session/recovery/claim.ts";
import { requireDirectory } from "../session/session-request.ts";

/** Lists the worktrees of all sessions. Returns an empty list if this Halyard instance cannot create worktrees. */
export async function listWorktrees(parts: HalyardParts): Promise<WorktreeInfo[]> {
  return (await parts.worktrees?.list(await liveSessions(parts))) ?? [];
}

/**
 * Removes worktrees as `Halyard.pruneWorktrees` describes. Returns an empty list if this Halyard instance cannot create
 * worktrees.
 */
export async function pruneWorktrees(
  parts: HalyardParts,
  input: PruneRequest = {},
): Promise<PrunedWorktree[]> {
  const request = parseInput(PruneRequest, input);
  return (await parts.worktrees?.prune(() => liveSessions(parts), request)) ?? [];
}

async function liveSessions({ store }: HalyardParts): Promise<SessionInfo[]> {
  return (await store.list({ states: liveStates })).map(({ info }) => info);
}

/** Adds the ports of a session's worktree to its environment. */
export function withPorts(request: SessionRequest, { worktree }: SessionInfo): SessionRequest {
  if (!worktree) return request;
  return { ...request, env: { ...portVariables(worktree.portBase), ...request.env } };
}

/** Applies the changes in a session's worktree to the user's working tree. Rejects if it has no worktree or runs a turn. */
export async function adopt(
  parts: HalyardParts,
  id: SessionId,
  input: AdoptRequest,
): Promise<Adopted> {
  const { cwd, merge } = parseInput(AdoptRequest, input);
  const { info } = await requireRecord(parts, id);
  const { worktree, turn } = info;
  await requireDirectory(resolve(cwd));
  if (!worktree || !parts.worktrees)
    throw new HalyardError(
      "unsupported",
      `Session ${id} has no worktree. Its changes are in ${info.cwd}.`,
    );
  if (turn)
    throw new HalyardError(
      "invalid_input",
      `Session ${id} is running a turn. Run "halyard wait ${id}" or "halyard interrupt ${id}" first.`,
    );
  return parts.worktrees.adopt({ id, worktree }, { cwd: resolve(cwd), merge });
}
