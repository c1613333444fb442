import type { Races } from "../contracts/races.ts";
import { HalyardError } from "../errors/error.ts";
import { raceNotFound } from "../errors/require-id.ts";
import type { RaceId } from "../schema/id.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RaceInfo } from "../schema/workspace/race.ts";

/** The checks for a limited client. */
export interface RaceLimits {
  readonly limit: PermissionPolicy;
  /** Throws `forbidden` if a policy is looser than the limit. */
  requirePolicy(policy: PermissionPolicy): void;
  /** Rejects with `forbidden` if the client may not use a session. */
  requireSession(id: string): Promise<unknown>;
  /** Throws `forbidden` if `continuedFrom` names a native session. Has no effect if it is undefined. */
  refuseRecord(continuedFrom: string | undefined): void;
}

/**
 * Returns the races for a client that is limited to a policy below `allow-all`. The client can start only sessions
 * within that policy, without a check, because a check is a shell command. It can read and cancel its own races, and
 * races of which it may use all sessions.
 */
export function limitRaces(races: Races, limits: RaceLimits): Races {
  const { limit, requirePolicy, requireSession, refuseRecord } = limits;
  const started = new Set<RaceId>();
  const requireRace = async (id: string): Promise<RaceInfo | undefined> => {
    const race = await races.find(id);
    if (!race || started.has(race.id)) return race;
    for (const { sessionId } of race.racers) {
      if (sessionId === undefined) throw notStarted(id);
      await requireSession(sessionId);
    }
    return race;
  };
  return {
    async start(request) {
      if (request.check !== undefined) throw noCheck(limit);
      const racers = request.racers.map((racer) => ({ permissions: limit, ...racer }));
      for (const racer of racers) {
        const { permissions = limit, parent, handedOffFrom, forkedFrom, continuedFrom } = racer;
        requirePolicy(permissions);
        refuseRecord(continuedFrom);
        for (const id of [parent, handedOffFrom, forkedFrom])
          if (id !== undefined) await requireSession(id);
      }
      if (request.id !== undefined) await requireRace(request.id); // a race with this id may already exist
      const race = await races.start({ ...request, racers });
      started.add(race.id);
      return race;
    },
    find: requireRace,
    async *watch(id, options) {
      if (!(await requireRace(id))) throw raceNotFound(id);
      yield* races.watch(id, options);
    },
    async cancel(id) {
      if (!(await requireRace(id))) throw raceNotFound(id);
      return races.cancel(id);
    },
  };
}

function noCheck(limit: PermissionPolicy): HalyardError {
  return new HalyardError(
    "forbidden",
    `check: a shell command allows more than ${limit}, this client's limit. Start the race without a check. To allow checks, start "halyard mcp" with --permissions allow-all, or "halyard serve" with --mcp-permissions allow-all.`,
  );
}

function notStarted(id: string): HalyardError {
  return new HalyardError(
    "forbidden",
    `Race ${id} was not started by this client, and not all of its sessions have started. Try again later. To allow this client all races, start "halyard mcp" with --permissions allow-all, or "halyard serve" with --mcp-permissions allow-all.`,
  );
}
