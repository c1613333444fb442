import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import { requireSessionId } from "../errors/require-id.ts";
import { followBatches } from "../log/follow.ts";
import { storeSource } from "../log/store-source.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import {
  type Changes,
  ChangesQuery,
  RewindRequest,
  type Rewound,
} from "../schema/workspace/checkpoint.ts";
import { reachOwner, requireRecord } from "../session/recovery/claim.ts";
import type { LiveSession } from "../session/session.ts";
import {
  commitOf,
  type FileHistory,
  rangeOf,
  rangesOfTurns,
  readFileHistory,
} from "./file-history.ts";
import { rewindRecord } from "./rewind-record.ts";

/** Returns the session if this process runs it. */
type FindLive = (id: SessionId) => Promise<LiveSession | undefined>;

/** Returns the file changes of a session that the query selects. */
export async function changesOf(
  parts: HalyardParts,
  findLive: FindLive,
  text: string,
  input: ChangesQuery,
): Promise<Changes> {
  const id = requireSessionId(text);
  const query = parseInput(ChangesQuery, input);
  const live = await findLive(id);
  await live?.settleCheckpoints();
  const info = live?.info ?? (await requireRecord(parts, id)).info;
  const history = await fileHistory(parts, id);
  const runningTurn = info.turn?.id;
  if (query.by === "agent" && query.turnId === undefined) {
    if (query.from !== undefined || query.to !== undefined || query.patch === true)
      throw new HalyardError(
        "invalid_input",
        "by: cannot be combined with from, to or patch. Remove by, or remove the other options.",
      );
    const ranges = rangesOfTurns(history, { runningTurn });
    return (await openWorkspace(parts, info)).combinedChanges(ranges);
  }
  const { from, to } = rangeOf(history, query, { runningTurn, base: info.worktree?.base });
  const workspace = await openWorkspace(parts, info);
  const changes = await workspace.changes(from, to);
  if (query.patch !== true) return changes;
  return { ...changes, patch: (await workspace.patch(from, changes.to)).toString("base64") };
}

/** Restores the files of a checkpoint. Rejects while a turn, a fork or another rewind is in progress. */
export async function rewindSession(
  parts: HalyardParts,
  findLive: FindLive,
  text: string,
  input: RewindRequest,
): Promise<Rewound> {
  const id = requireSessionId(text);
  const request = parseInput(RewindRequest, input);
  const live = await findLive(id);
  await live?.settleCheckpoints();
  if (live?.isEnding) await live.ended();
  const record = await requireRecord(parts, id);
  const owner = await reachOwner(parts, record);
  if (owner) return owner.rewind(id, request);
  const commit = commitOf(await fileHistory(parts, id), request.to);
  if (live && !live.isEnding) return live.rewind(commit);
  const workspace = await openWorkspace(parts, record.info);
  return rewindRecord(parts, record, { workspace, commit });
}

function fileHistory({ store }: HalyardParts, id: SessionId): Promise<FileHistory> {
  return readFileHistory(id, followBatches(storeSource(store, id), { follow: false }));
}

function openWorkspace({ workspaces }: HalyardParts, { id, cwd }: SessionInfo): Promise<Workspace> {
  if (workspaces) return workspaces.open(id, cwd);
  throw new HalyardError(
    "unsupported",
    'This Halyard instance does not record checkpoints, so it cannot show or restore changes. Run "git diff" to see the changes.',
  );
}
