import type { RaceInfo, RaceRequest } from "../schema/workspace/race.ts";

/** Options of `Races.watch`. */
export interface WatchRaceOptions {
  /** The revision that the caller has seen. Defaults to none: the current state is yielded first. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends the same task to several agents, each in its own git worktree, and ranks the results. The process that runs the
 * sessions also runs the race, so the race continues if the program that started it exits. A race whose process has
 * died is `lost`.
 */
export interface Races {
  /**
   * Starts a race and returns before its sessions have started. The sessions are ordinary sessions with the label
   * `race`. They are stopped when the race ends.
   * @example
   * const { id } = await halyard.races.start({
   *   prompt: "Fix #12",
   *   racers: ["claude", "codex"].map((runtime) => ({ runtime, cwd: ".", permissions: "allow-all" })),
   *   check: "npm test",
   * });
   */
  start(request: RaceRequest): Promise<RaceInfo>;
  /**
   * Returns the state of a race, or undefined if there is no such race. If the process of the race has exited, the
   * state is derived from its sessions. It then lacks racers that did not start, and check output.
   * @example const race = await halyard.races.find("rac_0123456789abcdef");
   */
  find(id: string): Promise<RaceInfo | undefined>;
  /**
   * Yields the state of a race when it changes, until the race has ended. Rejects with `race_not_found` if there is no such
   * race.
   * @example for await (const { racers } of halyard.races.watch(id)) console.log(racers);
   */
  watch(id: string, options?: WatchRaceOptions): AsyncIterable<RaceInfo>;
  /**
   * Cancels the turns and checks of a race, stops its sessions, and returns the last state. Has no effect if the race
   * has already ended.
   * @example const { racers } = await halyard.races.cancel("rac_0123456789abcdef");
   */
  cancel(id: string): Promise<RaceInfo>;
}
