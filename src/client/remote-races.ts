import { anySignal } from "../async/any-signal.ts";
import type { Races, WatchRaceOptions } from "../contracts/races.ts";
import { HalyardError } from "../errors/error.ts";
import { isRaceId, newRaceId, raceNotFound } from "../errors/require-id.ts";
import type { RaceInfo, RaceRequest } from "../schema/workspace/race.ts";
import type { RequestOptions } from "./connection.ts";
import { readResponse } from "./read-response.ts";
import { withAbsolutePaths } from "./requests/start-once.ts";
import { raceShape } from "./response-shapes.ts";

/** The parts of the client that its races use. */
export interface RaceTransport {
  request(method: string, path: string, options?: RequestOptions): Promise<unknown>;
  /** Makes a path absolute if client and server share a file system; otherwise returns it unchanged. */
  toAbsolute(path: string): string;
  /** Aborted when the client is disposed. */
  readonly closing: AbortSignal;
}

/** Creates the interface to a server's races. */
export function remoteRaces({ request, toAbsolute, closing }: RaceTransport): Races {
  const get = async (id: string, options: RequestOptions = {}, query = ""): Promise<RaceInfo> =>
    readResponse(
      raceShape,
      await request("GET", `${pathOf(id)}${query}`, { isRepeatable: true, ...options }),
    );
  return {
    async start(given: RaceRequest) {
      const { id = newRaceId() } = given;
      const racers = given.racers.map((racer) => withAbsolutePaths(racer, toAbsolute));
      const body = { ...given, id, racers };
      // The request can be repeated, because it contains the id of the race.
      return readResponse(
        raceShape,
        await request("POST", "/v1/races", { body, isRepeatable: true }),
      );
    },
    async find(id) {
      try {
        return await get(id);
      } catch (error) {
        if (error instanceof HalyardError && error.code === "race_not_found") return undefined;
        throw error;
      }
    },
    async *watch(id, { after, signal: given }: WatchRaceOptions = {}) {
      const signal = anySignal([given ?? [], closing].flat());
      for (let seen = after; !signal.aborted; ) {
        const query = new URLSearchParams({ waitMs: String(WAIT_MS) });
        if (seen !== undefined) query.set("after", String(seen));
        const info = await get(id, { signal }, `?${query}`).catch((error: unknown) => {
          if (signal.aborted) return undefined;
          throw error;
        });
        if (info === undefined) return;
        if (info.revision !== seen || info.state !== "running") yield info;
        if (info.state !== "running") return;
        seen = info.revision;
      }
    },
    async cancel(id) {
      const path = `${pathOf(id)}/cancel`;
      return readResponse(raceShape, await request("POST", path, { isRepeatable: true }));
    },
  };
}

/** How long the server waits for a change before it responds, in milliseconds. */
const WAIT_MS = 20_000;

function pathOf(id: string): string {
  if (isRaceId(id)) return `/v1/races/${id}`;
  throw raceNotFound(id);
}
