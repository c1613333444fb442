import { Wake } from "../../async/wake.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import type { Races, WatchRaceOptions } from "../../contracts/races.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { isRaceId, newRaceId, raceNotFound } from "../../errors/require-id.ts";
import { race } from "../../halyard/race/race.ts";
import { withWinner } from "../../halyard/race/rank.ts";
import { recordedRace } from "../../halyard/race/recorded-race.ts";
import type { Environment } from "../../programs/environment.ts";
import type { RaceId } from "../../schema/id.ts";
import { type RaceInfo, RaceRequest, type Racer } from "../../schema/workspace/race.ts";
import { runCheck } from "./check.ts";

/** The races that this process runs, and recorded races of other processes. Disposal cancels the running races. */
export class InProcessRaces implements Races, AsyncDisposable {
  readonly #halyard: Halyard;
  readonly #env: Environment;
  readonly #known = new Map<RaceId, KnownRace>();
  #isClosed = false;

  constructor(halyard: Halyard, env: Environment = {}) {
    this.#halyard = halyard;
    this.#env = env;
  }

  async start(input: RaceRequest): Promise<RaceInfo> {
    this.#requireOpen();
    const request = parseInput(RaceRequest, input);
    const { id = newRaceId() } = request;
    const known = this.#known.get(id) ?? (await this.#recorded(id));
    // Another call may have started the race in the meantime.
    const started = known ?? this.#known.get(id) ?? this.#start(id, request);
    return started.info;
  }

  #start(id: RaceId, request: RaceOutput): KnownRace {
    this.#requireOpen();
    const started = new KnownRace(this.#halyard, id, request, this.#env);
    this.#known.set(id, started);
    for (const [old, { info }] of this.#known) {
      if (this.#known.size <= KEPT) break;
      if (info.state !== "running") this.#known.delete(old);
    }
    return started;
  }

  async find(id: string): Promise<RaceInfo | undefined> {
    if (!isRaceId(id)) return undefined;
    return (this.#known.get(id) ?? (await this.#recorded(id)))?.info;
  }

  async *watch(id: string, options: WatchRaceOptions = {}): AsyncGenerator<RaceInfo> {
    const known = isRaceId(id) ? this.#known.get(id) : undefined;
    if (known) return yield* known.watch(options);
    const info = await this.find(id);
    if (!info) throw raceNotFound(id);
    yield info;
  }

  async cancel(id: string): Promise<RaceInfo> {
    const known = isRaceId(id) ? this.#known.get(id) : undefined;
    if (known) return known.cancel();
    const info = await this.find(id);
    if (!info) throw raceNotFound(id);
    return info;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#known.values()].map((known) => known.cancel()));
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new HalyardError(
        "invalid_input",
        'This Halyard instance has been disposed. Call "createHalyard" to create another instance.',
      );
  }

  async #recorded(id: RaceId): Promise<{ readonly info: RaceInfo } | undefined> {
    const info = await recordedRace(this.#halyard, id);
    return info && { info };
  }
}

/** The number of races that are kept in memory, unless more are running. Older races are read from their sessions. */
const KEPT = 100;

type RaceOutput = ReturnType<typeof parseInput<typeof RaceRequest>>;

/** A race that this process started. */
class KnownRace {
  readonly #changes = new Wake();
  readonly #cancelling = new AbortController();
  readonly #done: Promise<void>;
  #info: RaceInfo;

  constructor(halyard: Halyard, id: RaceId, request: RaceOutput, env: Environment) {
    const { racers, prompt, concurrency, check, checkTimeoutMs: timeoutMs } = request;
    const waiting = racers.map(({ runtime }): Racer => ({ runtime, state: "waiting" }));
    this.#info = { id, state: "running", revision: 1, racers: waiting };
    this.#done = race(halyard, racers, prompt, {
      id,
      concurrency,
      signal: this.#cancelling.signal,
      onChange: (now) => this.#change({ racers: [...now] }),
      ...(check !== undefined && {
        check: (info, signal) => runCheck(check, info, { env, timeoutMs, signal }),
      }),
    }).then((ranking) => this.#end(ranking));
  }

  get info(): RaceInfo {
    return this.#info;
  }

  async *watch({ after, signal }: WatchRaceOptions): AsyncGenerator<RaceInfo> {
    const release = this.#changes.notifyAt(signal);
    try {
      for (let seen = after; !signal?.aborted; ) {
        const version = this.#changes.version;
        const info = this.#info;
        if (info.revision !== seen || info.state !== "running") yield info;
        if (info.state !== "running") return;
        seen = info.revision;
        await this.#changes.after(version);
      }
    } finally {
      release();
    }
  }

  async cancel(): Promise<RaceInfo> {
    this.#cancelling.abort();
    await this.#done;
    return this.#info;
  }

  #end(racers: Racer[]): void {
    const state = this.#cancelling.signal.aborted ? "cancelled" : "done";
    const { revision } = this.#info;
    this.#change(withWinner({ ...this.#info, state, racers, revision }));
  }

  #change(change: Partial<RaceInfo>): void {
    this.#info = { ...this.#info, ...change, revision: this.#info.revision + 1 };
    this.#changes.notify();
  }
}
