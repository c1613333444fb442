import { createHash } from "node:crypto";
import { join } from "node:path";
import { withClaim } from "../../claims/with-claim.ts";
import { homeDirectory, ownEnvironment } from "../../config/paths.ts";
import type { Halyard } from "../../core/halyard.ts";
import { homeError } from "../../core/home-error.ts";
import { Lanes } from "../../core/lanes.ts";
import type { HalyardSourceOptions } from "../halyard-source.ts";
import type { CoreParams } from "./agent-runtime.ts";

/** Where the runs on one Halyard wait for each other, whichever runtime they are of. */
interface SharedLanes {
  readonly conversations: Lanes;
  readonly keys: Lanes;
}

/** Where the runs of a runtime wait: for each other, and for a place. */
export interface RunLanes extends SharedLanes {
  readonly places: Lanes;
  /** The directory in which runs of other processes on the same home are waited for. */
  readonly claims: string | undefined;
}

/**
 * The lanes of a runtime. All runtimes on the same Halyard share them, except for the places. Runtimes that create their
 * own Halyard share them with every process on the same home.
 */
export function lanesOn(
  { halyard, create = {} }: HalyardSourceOptions,
  places: Lanes = new Lanes({ places: 8 }),
): RunLanes {
  const owner: Halyard | typeof ownHalyards = halyard ?? ownHalyards;
  const lanes = shared.get(owner) ?? { conversations: new Lanes(), keys: new Lanes() };
  shared.set(owner, lanes);
  const home = create.home ?? homeDirectory(create.env ?? ownEnvironment());
  const claims = halyard || home === "" ? undefined : join(home, "lanes");
  return { ...lanes, places, claims };
}

/** Stands for all those that runs make for themselves, and that find the same sessions. */
const ownHalyards = {};

const shared = new WeakMap<object, SharedLanes>();

/** Runs it when its turn has come. Undefined if it is aborted before that: it is never run then. */
export async function inTurn<T>(
  { conversations, keys, places, claims }: RunLanes,
  { sessionId, sessionKey: key = sessionId, abortSignal: signal }: CoreParams,
  run: () => Promise<T>,
): Promise<T | undefined> {
  const begun = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener("abort", () => resolve(undefined), { signal: begun.signal });
  });
  const begin = async () => {
    begun.abort(); // from now on the run itself heeds the signal
    return signal?.aborted ? undefined : run();
  };
  const inPlace = () => places.run(key, begin);
  const alone = () => claimed(claims, [`session ${sessionId}`, `key ${key}`], signal, inPlace);
  const running = conversations.run(sessionId, () => keys.run(key, alone));
  return Promise.race([running, aborted]);
}

/** Runs it while no other process on the same home runs one of these lanes. */
async function claimed<T>(
  claims: string | undefined,
  [lane, ...others]: readonly string[],
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T | undefined> {
  if (claims === undefined || lane === undefined) return run();
  const directory = join(claims, createHash("sha256").update(lane).digest("hex").slice(0, 32));
  let hasBegun = false;
  try {
    return await withClaim(directory, { signal }, () => {
      hasBegun = true;
      return claimed(claims, others, signal, run);
    });
  } catch (error) {
    if (hasBegun) throw error;
    if (signal?.aborted) return undefined;
    throw homeError(`the run could not wait for others in ${claims}`, error);
  }
}
