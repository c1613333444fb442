import { newSessionId } from "../../errors/require-id.ts";
import { type Racer, race } from "../../halyard/race/race.ts";
import { winnerOf } from "../../halyard/race/rank.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { requireSendable } from "../send/message-size.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";
import { askAboutDirectory } from "../trust/ask-about-directory.ts";
import { runCheck } from "./check.ts";
import { raceTable } from "./race-table.ts";
import { createRaceView } from "./race-view.ts";

export interface RaceCommandOptions extends Omit<SessionFlags, "runtime" | "branch"> {
  readonly runtime: readonly string[];
  readonly check?: string;
  /** In seconds. */
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
  const requests = new Map<RuntimeName, Awaited<ReturnType<typeof readStartRequest>>>();
  for (const name of options.runtime) {
    const request = await readStartRequest({ ...options, runtime: name }, console);
    requests.set(request.runtime ?? name, request);
  }
  const runtimes = [...requests.keys()];
  const [request] = requests.values();
  if (request === undefined) return 2;
  if ((request.permissions ?? "ask") === "ask" && request.host !== "container")
    await warn(console, [
      "Nobody answers requests in a race, so the policy ask denies them. Add -p allow-edits or -p allow-all.",
    ]);
  await using halyard = await openDaemon(console);
  const cancelling = new AbortController();
  const onInterrupt = () => cancelling.abort();
  process.once("SIGINT", onInterrupt);
  const view = createRaceView(console);
  const labels = { ...options.label, race: newSessionId().slice("ses_".length, 12) };
  const racers = await race(halyard, runtimes, text, {
    request: { ...request, labels, worktree: base === undefined ? true : { base } },
    requestFor: async (runtime) => modelOf(requests.get(runtime)),
    concurrency,
    onChange: (now) => view.show(now),
    signal: cancelling.signal,
    ...(check !== undefined && {
      check: (info, signal) =>
        runCheck(check, info, { env: console.env, timeoutMs: checkTimeout * 1000, signal }),
    }),
  }).finally(() => {
    process.off("SIGINT", onInterrupt);
    view.close();
  });
  await print(racers, format, console);
  if (cancelling.signal.aborted) return 130;
  return winnerOf(racers) ? 0 : 1;
}

/** The parts of a request that depend on the runtime. */
function modelOf(request: Awaited<ReturnType<typeof readStartRequest>> | undefined) {
  const { model, host } = request ?? {};
  return { ...(model !== undefined && { model }), ...(host !== undefined && { host }) };
}

async function print(
  racers: readonly Racer[],
  format: "text" | "json",
  console: Console,
): Promise<void> {
  const { out, err } = console;
  if (format === "json") {
    const winner = winnerOf(racers);
    for (const racer of racers)
      await out.write(`${JSON.stringify({ ...racer, isWinner: racer === winner })}\n`);
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
  await err.write(`${adviceFor(racers)}\n`);
  throwIfUnwritable(console);
}

const CHECK_OUTPUT = 600;

function adviceFor(racers: readonly Racer[]): string {
  const winner = winnerOf(racers);
  if (!winner) return "No winner. Compare the worktrees, or adopt one of the sessions anyway.";
  return `Winner: ${winner.runtime}. Bring its changes here with: halyard adopt ${winner.sessionId}`;
}
