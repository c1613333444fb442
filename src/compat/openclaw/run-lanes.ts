import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { Lanes } from "../../async/lanes.ts";
import { withClaim } from "../../claims/with-claim.ts";
import { homeDirectory, ownEnvironment } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { homeError } from "../../errors/home-error.ts";
import type { HalyardSourceOptions } from "../halyard-source.ts";
import type { CoreParams } from "./agent-runtime.ts";

/** The lanes for all runs on one Halyard instance. All runtimes share them. */
interface SharedLanes {
  readonly conversations: Lanes;
  readonly keys: Lanes;
  /** Lanes by session file. Two conversations may share a file, which only one of them may write at a time. */
  readonly files: Lanes;
}

/** A runtime's lanes, in which runs wait for each other and for a free slot. */
export interface RunLanes extends SharedLanes {
  readonly places: Lanes;
  /** The directory that contains the locks between processes on the same home. */
  readonly claims: string | undefined;
}

/**
 * Returns a runtime's lanes. All runtimes on one Halyard instance share the lanes, but not the slots. If the instance has
 * a home, runs also wait for the runs of other processes on this home.
 */
export function lanesOn(
  { halyard, create = {} }: HalyardSourceOptions,
  places: Lanes = new Lanes({ limit: 8 }),
): RunLanes {
  const owner: Halyard | typeof ownHalyards = halyard ?? ownHalyards;
  const lanes = shared.get(owner) ?? {
    conversations: new Lanes(),
    keys: new Lanes(),
    files: new Lanes(),
  };
  shared.set(owner, lanes);
  const home = halyard
    ? halyard.home
    : (create.home ?? homeDirectory(create.env ?? ownEnvironment()));
  const claims = home ? join(home, "lanes") : undefined;
  return { ...lanes, places, claims };
}

/** The key for all runs that create their own Halyard instance. Each lane's name contains the home of the instance. */
const ownHalyards = {};

const shared = new WeakMap<object, SharedLanes>();

/**
 * Waits for the lanes, then runs the function. If the signal is aborted first, resolves with undefined without running
 * the function.
 */
export async function inTurn<T>(
  { conversations, keys, files, places, claims }: RunLanes,
  { sessionId, sessionKey: key = sessionId, sessionFile, abortSignal: signal }: CoreParams,
  run: () => Promise<T>,
): Promise<T | undefined> {
  const begun = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener("abort", () => resolve(undefined), { signal: begun.signal });
  });
  const begin = async () => {
    begun.abort(); // from here on, the run itself observes the signal
    return signal?.aborted ? undefined : run();
  };
  const inPlace = () => places.run(key, begin);
  const ofHome = (lane: string) => `${claims ?? ""}\0${lane}`;
  const file = resolve(sessionFile);
  const lanes = [`session ${sessionId}`, `key ${key}`, `file ${file}`];
  const alone = () => claimed(claims, lanes, signal, inPlace);
  const ofFile = () => files.run(ofHome(file), alone);
  const running = conversations.run(ofHome(sessionId), () => keys.run(ofHome(key), ofFile));
  return Promise.race([running, aborted]);
}

/**
 * Runs the function while this process holds the locks of these lanes, which exclude other processes. Resolves with
 * undefined, without a call of the function, if the signal is aborted while it waits for a lock.
 */
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
    throw homeError(
      `The run cannot wait for other runs, because ${claims} cannot be written`,
      error,
    );
  }
}
