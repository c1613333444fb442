import type { FileRange } from "../contracts/workspace.ts";
import { HalyardError } from "../errors/error.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import { type ChangesQuery, CheckpointRecord } from "../schema/workspace/checkpoint.ts";

/** The recorded states of a session's files, in the order of its log. */
export interface FileHistory {
  readonly sessionId: SessionId;
  readonly states: readonly RecordedState[];
  /** The turns in the order in which they started. Turn number 1 is the first element. */
  readonly turns: readonly TurnId[];
}

interface RecordedState {
  readonly commit: string;
  readonly when: CheckpointRecord["when"] | "rewound";
  readonly turnId?: TurnId | undefined;
}

/** Reads the recorded states from the log of a session. */
export async function readFileHistory(
  sessionId: SessionId,
  batches: AsyncIterable<readonly StreamEvent[]>,
): Promise<FileHistory> {
  const states: RecordedState[] = [];
  const turns: TurnId[] = [];
  for await (const batch of batches)
    for (const event of batch) {
      if (event.type !== "system") continue;
      if (event.subtype === "turn_started" && event.turnId) turns.push(event.turnId);
      const state = stateOf(event);
      if (state) states.push(state);
    }
  return { sessionId, states, turns };
}

function stateOf({
  subtype,
  data = {},
}: Extract<StreamEvent, { type: "system" }>): RecordedState | undefined {
  if (subtype === "checkpoint") return CheckpointRecord.safeParse(data).data;
  if (subtype !== "rewound" || typeof data.commit !== "string") return undefined;
  return { commit: data.commit, when: "rewound" };
}

/**
 * Returns the commit of a state. `name` is `start`, the id or number of a turn, or a commit. Throws
 * `checkpoint_not_found` if the session has not recorded that state.
 */
export function commitOf(history: FileHistory, name: string): string {
  const { states, sessionId } = history;
  if (name === "start") return firstOf(history).commit;
  const turnId = turnOf(history, name);
  const found = states.findLast((state) =>
    turnId === undefined
      ? state.commit === name
      : state.when === "after_turn" && state.turnId === turnId,
  );
  if (found) return found.commit;
  throw notFound(sessionId, turnId === undefined ? name : `after turn ${name}`);
}

/**
 * Returns the states that a query compares. An undefined `to` in the result means the current files. `base` is the commit
 * from which the session's worktree was created. It replaces the first checkpoint as the state `start`, unless the query
 * sets `to` to a recorded state. Throws `checkpoint_not_found` if a state of the query is not recorded.
 */
export function rangeOf(
  history: FileHistory,
  { turnId: turn, from = "start", to }: ChangesQuery,
  options: { readonly runningTurn: TurnId | undefined; readonly base?: string | undefined },
): FileRange {
  const { runningTurn, base } = options;
  if (turn !== undefined) return rangeOfTurn(history, turn, { runningTurn });
  const last = history.states.at(-1)?.commit;
  const isPresent = to === "now" || (to === undefined && runningTurn !== undefined);
  if (base !== undefined && from === "start" && (to === undefined || isPresent))
    return { from: base, to: isPresent ? undefined : last };
  const earlier = commitOf(history, from);
  if (isPresent) return { from: earlier, to: undefined };
  return { from: earlier, to: to === undefined ? last : commitOf(history, to) };
}

/**
 * Returns the states before and after each turn for which both are recorded. Includes rewinds, because they undo the
 * changes of turns. The end of a running turn is the current state of the files. If there is no such turn or rewind,
 * returns one empty range at the first checkpoint.
 */
export function rangesOfTurns(
  history: FileHistory,
  { runningTurn }: { readonly runningTurn: TurnId | undefined },
): FileRange[] {
  const { states } = history;
  const ended = states.flatMap(({ when, turnId, commit }, at): FileRange[] => {
    const before = states[at - 1];
    if (when === "rewound" && before) return [{ from: before.commit, to: commit }];
    if (when !== "after_turn" || turnId === undefined || !before) return [];
    return [rangeOfTurn(history, turnId, { runningTurn })];
  });
  const last = states.at(-1);
  const isRunning = runningTurn !== undefined && last !== undefined;
  if (ended.length === 0 && !isRunning) {
    const { commit } = firstOf(history);
    return [{ from: commit, to: commit }];
  }
  return isRunning ? [...ended, rangeOfTurn(history, runningTurn, { runningTurn })] : ended;
}

function rangeOfTurn(
  history: FileHistory,
  name: string,
  { runningTurn }: { readonly runningTurn: TurnId | undefined },
): FileRange {
  const { states, sessionId } = history;
  const turnId = turnOf(history, name);
  const isOf = (when: RecordedState["when"]) => (state: RecordedState) =>
    state.when === when && state.turnId === turnId;
  const end = states.findLastIndex(isOf("after_turn"));
  if (end < 0 && (turnId === undefined || turnId !== runningTurn))
    throw notFound(sessionId, `after turn ${name}`);
  const before = states.find(isOf("before_turn")) ?? states.at(end < 0 ? -1 : end - 1);
  if (before === undefined || end === 0) throw notFound(sessionId, `before turn ${name}`);
  return { from: before.commit, to: states[end]?.commit };
}

function turnOf({ turns, sessionId }: FileHistory, name: string): TurnId | undefined {
  if (!/^\d{1,9}$/.test(name)) return turns.find((id) => id === name);
  const found = turns[Number(name) - 1];
  if (found !== undefined) return found;
  throw new HalyardError(
    "checkpoint_not_found",
    `Session ${sessionId} has no turn ${name}. Turns so far: ${turns.length}. Run "halyard events ${sessionId}" to list its turns.`,
  );
}

function firstOf({ states, sessionId }: FileHistory): RecordedState {
  const [first] = states;
  if (first) return first;
  throw new HalyardError(
    "checkpoint_not_found",
    `Session ${sessionId} has no checkpoints: it was started without checkpoints, or its files could not be recorded. Run "halyard events ${sessionId}" to see why.`,
  );
}

function notFound(id: SessionId, what: string): HalyardError {
  const message = `Session ${id} has no checkpoint ${what}. Run "halyard events ${id} --format json" to list its checkpoints.`;
  return new HalyardError("checkpoint_not_found", message);
}
