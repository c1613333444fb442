import type { Halyard } from "../../core/halyard.ts";
import { Lanes } from "../../core/lanes.ts";
import type { CoreParams } from "./agent-runtime.ts";

/** Where the runs on one Halyard wait for each other, whichever runtime they are of. */
interface SharedLanes {
  readonly conversations: Lanes;
  readonly keys: Lanes;
}

/** Where the runs of a runtime wait: for each other, and for a place. */
export interface RunLanes extends SharedLanes {
  readonly places: Lanes;
}

/** The lanes of a runtime; but for its places, those of all on the same Halyard. */
export function lanesOn(
  halyard: Halyard | undefined,
  places: Lanes = new Lanes({ places: 8 }),
): RunLanes {
  const owner = halyard ?? ownHalyards;
  const lanes = shared.get(owner) ?? { conversations: new Lanes(), keys: new Lanes() };
  shared.set(owner, lanes);
  return { ...lanes, places };
}

/** Stands for all those that runs make for themselves, and that find the same sessions. */
const ownHalyards = {};

const shared = new WeakMap<object, SharedLanes>();

/** Runs it when its turn has come. Undefined where it is aborted before that: it is never run then. */
export async function inTurn<T>(
  { conversations, keys, places }: RunLanes,
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
  const running = conversations.run(sessionId, () => keys.run(key, inPlace));
  return Promise.race([running, aborted]);
}
