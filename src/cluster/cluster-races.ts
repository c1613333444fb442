import type { Halyard } from "../contracts/halyard.ts";
import type { Races } from "../contracts/races.ts";
import { HalyardError } from "../errors/error.ts";
import { raceNotFound } from "../errors/require-id.ts";
import type { RaceInfo } from "../schema/workspace/race.ts";
import type { PlacementRequest } from "./placement.ts";

/** The machines of a cluster that can run races. */
export interface RaceMachines {
  /** Returns the Halyard instance of the machine that best fits a request. */
  place(request: PlacementRequest): Promise<Halyard>;
  /** Returns the Halyard instance of every worker. */
  nodes(): Promise<Halyard[]>;
}

/**
 * Creates the interface to a cluster's races. A race runs on one machine, because its worktrees belong to one
 * repository.
 */
export function clusterRaces({ place, nodes }: RaceMachines): Races {
  /**
   * Finds the worker that runs a race. All workers share the log, so every worker finds the race, but only the worker that
   * runs the race reports a revision above 0.
   */
  const locate = async (id: string): Promise<{ halyard: Halyard; race: RaceInfo } | undefined> => {
    const answers = await Promise.allSettled(
      (await nodes()).map(async (halyard) => ({ halyard, race: await halyard.races.find(id) })),
    );
    const found = answers.flatMap((answer) => {
      const { halyard, race } = answer.status === "fulfilled" ? answer.value : {};
      return halyard && race ? [{ halyard, race }] : [];
    });
    return found.sort((a, b) => b.race.revision - a.race.revision)[0];
  };
  const require = async (id: string) => {
    const found = await locate(id);
    if (!found) throw raceNotFound(id);
    return found;
  };
  return {
    async start(request) {
      const [first] = request.racers;
      if (request.racers.some(({ on }) => on !== first?.on))
        throw new HalyardError(
          "invalid_input",
          'racers: all racers must run on one machine. Set "on" to the same value for each racer.',
        );
      const racers = request.racers.map(({ on, ...racer }) => racer);
      const known = request.id === undefined ? undefined : await locate(request.id);
      if (known) return known.race;
      const machine = await place({ on: first?.on, runtime: first?.runtime });
      return machine.races.start({ ...request, racers });
    },
    find: async (id) => (await locate(id))?.race,
    async *watch(id, options) {
      yield* (await require(id)).halyard.races.watch(id, options);
    },
    cancel: async (id) => (await require(id)).halyard.races.cancel(id),
  };
}
