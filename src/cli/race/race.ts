import type { Races } from "../../contracts/races.ts";
import type { RaceInfo, RaceRequest, RacerRequest } from "../../schema/workspace/race.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { requireSendable } from "../send/message-size.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";
import { askAboutDirectory } from "../trust/ask-about-directory.ts";
import { raceTable } from "./race-table.ts";
import { createRaceView, type RaceView } from "./race-view.ts";

export interface RaceCommandOptions extends Omit<SessionFlags, "runtime" | "branch"> {
  readonly runtime: readonly string[];
  readonly check?: string;
  /** The time limit of the check, in seconds. */
  readonly checkTimeout: number;
  readonly concurrency?: number;
  readonly format: "text" | "json";
}

export async function runRace(prompt: string, options: RaceCommandOptions): Promise<number> {
  const console = openConsole();
  const { format, check, checkTimeout, concurrency, base } = options;
  const text = await readPromptAndInput(prompt, console);
  requireSendable(text);
  await askAboutDirectory(options, console);
  const racers: RacerRequest[] = [];
  for (const name of options.runtime) {
    const request = await readStartRequest({ ...options, runtime: name }, console);
    const worktree = base === undefined ? true : { base };
    racers.push({ ...request, runtime: request.runtime ?? name, worktree });
  }
  if (racers.some(({ permissions = "ask", host }) => permissions === "ask" && host !== "container"))
    await warn(console, [
      'A race cannot ask you, so the policy "ask" denies all requests. Add -p allow-edits or -p allow-all.',
    ]);
  await using halyard = await openDaemon(console);
  const view = createRaceView(console);
  const race = await watch(halyard.races, view, {
    prompt: text,
    racers,
    checkTimeoutMs: checkTimeout * 1000,
    ...(check !== undefined && { check }),
    ...(concurrency !== undefined && { concurrency }),
  }).finally(() => view.close());
  await print(race, format, console);
  if (race.state === "cancelled") return 130;
  return race.winner ? 0 : 1;
}

/** Starts a race and shows it until it has ended. The first interrupt cancels the race. */
async function watch(races: Races, view: RaceView, request: RaceRequest): Promise<RaceInfo> {
  let race = await races.start(request);
  let cancelling: Promise<unknown> | undefined;
  const onInterrupt = () => {
    cancelling ??= races.cancel(race.id);
    cancelling.catch(() => {}); // awaited below
  };
  process.once("SIGINT", onInterrupt);
  try {
    for await (const now of races.watch(race.id)) {
      race = now;
      view.show(now.racers);
    }
    await cancelling;
    return race;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

async function print(race: RaceInfo, format: "text" | "json", console: Console): Promise<void> {
  const { out, err } = console;
  const { racers, winner } = race;
  if (format === "json") {
    for (const racer of racers) {
      const isWinner = winner !== undefined && racer.sessionId === winner;
      await out.write(`${JSON.stringify({ race: race.id, ...racer, isWinner })}\n`);
    }
    return throwIfUnwritable(console);
  }
  const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
  const [heading = "", ...lines] = raceTable(racers, columns);
  await out.write(`${out.colors.bold(heading)}\n${lines.join("\n")}\n`);
  for (const { runtime, error, check } of racers) {
    if (error) await err.write(`${runtime}: ${error.message}\n`);
    if (check && !check.passed)
      await err.write(`${runtime}: ${check.output.slice(-CHECK_OUTPUT).trim()}\n`);
  }
  await err.write(`${adviceFor(race)}\n`);
  throwIfUnwritable(console);
}

const CHECK_OUTPUT = 600;

function adviceFor({ id, state, racers, winner }: RaceInfo): string {
  if (state === "lost")
    return `The daemon exited during the race. Run "halyard sessions --label race=${id}" to list the racers.`;
  const best = racers.find(({ sessionId }) => winner !== undefined && sessionId === winner);
  if (!best)
    return racers.some(({ changes }) => changes !== undefined && changes.files > 0)
      ? 'No winner. Run "halyard diff SESSION" to compare the changes, or "halyard adopt SESSION" to apply one of them anyway.'
      : "No winner: no agent changed a file.";
  return `Winner: ${best.runtime}. Apply its changes here: halyard adopt ${winner}`;
}
