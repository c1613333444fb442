import type { Halyard } from "../../contracts/halyard.ts";
import type { RaceId } from "../../schema/id.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { RaceInfo, Racer } from "../../schema/workspace/race.ts";
import { raceLabels, readVerdict } from "./labels.ts";
import { ranked, withWinner } from "./rank.ts";

/** Reads a race from its sessions. Returns undefined if the store contains no session of the race. */
export async function recordedRace(halyard: Halyard, id: RaceId): Promise<RaceInfo | undefined> {
  const sessions = await halyard.sessions({ labels: raceLabels(id) });
  if (sessions.length === 0) return undefined;
  const racers = ranked(await Promise.all(sessions.map((info) => toRacer(halyard, info))));
  const states = new Set(sessions.map((info) => readVerdict(info).state));
  const worst = (["lost", "cancelled"] as const).find((state) => states.has(state));
  return withWinner({ id, state: worst ?? "done", revision: 0, racers });
}

async function toRacer(halyard: Halyard, info: SessionInfo): Promise<Racer> {
  const { id: sessionId, runtime, worktree, lastOutcome: outcome, error, usage } = info;
  const { check } = readVerdict(info);
  const changes = await halyard.changes(sessionId).catch(() => undefined); // rejects if its checkpoints were deleted
  return {
    runtime,
    state: openTurnOf(info) ? "running" : "done",
    sessionId,
    usage,
    ...(worktree && { branch: worktree.branch }),
    ...(outcome && { outcome }),
    ...(error && { error }),
    ...(check && { check }),
    ...(changes && {
      changes: {
        files: changes.files.length,
        insertions: changes.insertions,
        deletions: changes.deletions,
      },
    }),
  };
}
