import { resolve } from "node:path";
import type { Machine } from "../contracts/machine.ts";
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

/** Lists all worktrees. */
export async function listWorktrees(machine: Machine): Promise<WorktreeInfo[]> {
  return (await machine.worktrees?.list(await liveSessions(machine))) ?? [];
}

/** Removes worktrees that are no longer needed. */
export async function pruneWorktrees(
  machine: Machine,
  input: PruneRequest = {},
): Promise<PrunedWorktree[]> {
  const request = parseInput(PruneRequest, input);
  return (await machine.worktrees?.prune(() => liveSessions(machine), request)) ?? [];
}

async function liveSessions({ store }: Machine): Promise<SessionInfo[]> {
  return (await store.list({ states: liveStates })).map(({ info }) => info);
}

/** Adds the ports of a session's worktree to its environment. */
export function withPorts(request: SessionRequest, { worktree }: SessionInfo): SessionRequest {
  if (!worktree) return request;
  return { ...request, env: { ...portVariables(worktree.portBase), ...request.env } };
}

/** Applies the changes of a session's worktree to the user's working tree. Rejects while a turn runs. */
export async function adopt(
  machine: Machine,
  id: SessionId,
  input: AdoptRequest,
): Promise<Adopted> {
  const { cwd, merge } = parseInput(AdoptRequest, input);
  const { info } = await requireRecord(machine, id);
  const { worktree, turn } = info;
  await requireDirectory(resolve(cwd));
  if (!worktree || !machine.worktrees)
    throw new HalyardError(
      "unsupported",
      `Session ${id} has no worktree. Its changes are in ${info.cwd}.`,
    );
  if (turn)
    throw new HalyardError(
      "invalid_input",
      `Session ${id} is running a turn. Run "halyard wait ${id}" or "halyard interrupt ${id}" first.`,
    );
  return machine.worktrees.adopt({ id, worktree }, { cwd: resolve(cwd), merge });
}
