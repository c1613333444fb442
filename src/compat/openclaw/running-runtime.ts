import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Lanes } from "../../async/lanes.ts";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { failureOf } from "../../halyard/turn-results.ts";
import type { Usage } from "../../schema/outcome.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import type {
  AgentRuntime,
  AgentRuntimeKind,
  AgentRuntimeResult,
  AgentRuntimeRunParams,
  Attempt,
  UsageInfo,
} from "./agent-runtime.ts";
import { finalText } from "./final-tag.ts";
import { keepTranscript, requireWritable } from "./keep-transcript.ts";
import { runCallbacks } from "./run-callbacks.ts";
import type { RunConfig } from "./run-config.ts";
import { inTurn, lanesOn, type RunLanes } from "./run-lanes.ts";
import { openRunSession } from "./run-session.ts";
import { Transcript } from "./session-files/transcript.ts";

/** Options for the runtimes: their Halyard instance, and how many runs execute at the same time. */
export interface RunOptions extends HalyardSourceOptions {
  /**
   * Limits how many runs execute at the same time. Runtimes with the same lanes share the limit. Defaults to eight runs per
   * runtime.
   */
  readonly lanes?: Lanes | undefined;
}

interface Parts {
  readonly kind: AgentRuntimeKind;
  readonly displayName: string;
  readonly config: RunConfig;
  readonly options: RunOptions;
  /** The runtimes that this one replaces. */
  readonly failed?: readonly Attempt[];
  /** True if Pi runs the turn when this runtime cannot be loaded. */
  readonly isReplaceable?: boolean;
}

/** The runtime that executes a run, and the runtimes that could not be loaded. */
interface Running {
  readonly kind: AgentRuntimeKind;
  readonly failed: readonly Attempt[];
}

const required = z.string().min(1);
const Required = z.looseObject({
  sessionId: required,
  sessionFile: required,
  workspaceDir: required,
  prompt: required,
  provider: required,
  model: required,
  thinkLevel: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]).optional(),
});

/** Runs each turn in a session, which is started or resumed before the turn and stopped afterward. */
export class RunningRuntime implements AgentRuntime {
  readonly kind: AgentRuntimeKind;
  readonly displayName: string;
  readonly #parts: Parts;
  readonly #lanes: RunLanes;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.kind = parts.kind;
    this.displayName = parts.displayName;
    this.#lanes = lanesOn(parts.options, parts.options.lanes);
  }

  async run(given: AgentRuntimeRunParams): Promise<AgentRuntimeResult> {
    const params = withoutNull(given);
    parseInput(Required, params);
    const result = await inTurn(this.#lanes, params, async () => {
      await using source = new HalyardSource(this.#parts.options);
      const halyard = await source.open();
      const { kind } = this;
      const { failed = [], isReplaceable = false } = this.#parts;
      try {
        // awaited, so that the run ends before the source is disposed
        return await this.#run(halyard, params, { kind, failed });
      } catch (error) {
        if (!isReplaceable || !isUnavailable(error)) throw error;
        const attempts = [...failed, { runtime: kind, error: error.message }];
        return await this.#run(halyard, params, { kind: "pi", failed: attempts });
      }
    });
    return result ?? this.#neverBegun(params);
  }

  async #run(
    halyard: Halyard,
    params: AgentRuntimeRunParams,
    { kind, failed }: Running,
  ): Promise<AgentRuntimeResult> {
    const { config } = this.#parts;
    const { provider, model, sessionFile } = params;
    const isKeptHere = kind !== "pi";
    await requireWritable(sessionFile);
    const { session, opened } = await openRunSession(halyard, kind, config, params);
    const transcript = new Transcript();
    const sending = this.#send(session, params, { kind, transcript });
    await Promise.allSettled([sending]); // the outcome is read below
    await session.stop("the run is over");
    const warnings = isKeptHere ? await keepTranscript(transcript, sessionFile, session.info) : [];
    const { runId, outcome, ...said } = await sending;
    const { runtimeSessionId } = session.info;
    const meta = {
      ...{ runtime: kind, provider, model, runId, sessionId: session.id },
      ...(runtimeSessionId !== undefined && { runtimeSessionId }),
      session: opened,
      durationMs: outcome.durationMs,
      aborted: outcome.status === "cancelled",
      attempts: [...failed, { runtime: kind }],
      ...(warnings.length > 0 && { warnings }),
    };
    return { ...said, usage: toUsage(outcome.usage), meta };
  }

  async #send(
    session: Session,
    params: AgentRuntimeRunParams,
    { kind, transcript }: { kind: AgentRuntimeKind; transcript: Transcript },
  ) {
    const { prompt, timeoutMs, abortSignal: signal, runId = randomUUID() } = params;
    const enforce = kind === "pi" && params.piOptions?.enforceFinalTag === true;
    const show = (text: string) => finalText(text, { enforce });
    const limit = timeoutMs !== undefined && { timeoutMs };
    const turn = session.send(prompt, { ...(signal && { signal }), ...limit });
    const onEvent = transcript.onEvent.bind(transcript);
    const payloads = await runCallbacks(turn, params, { runId, show, onEvent });
    const outcome = await turn.outcome;
    const isAborted = outcome.status === "cancelled" && signal?.aborted;
    if (outcome.status !== "completed" && !isAborted) throw failureOf(outcome);
    return { reply: show(outcome.text), payloads, runId, outcome };
  }

  /** Returns the result of a run that was aborted before it started. */
  #neverBegun({
    provider,
    model,
    runId = randomUUID(),
  }: AgentRuntimeRunParams): AgentRuntimeResult {
    const { failed: attempts = [] } = this.#parts;
    const meta = { runtime: this.kind, provider, model, runId, attempts };
    return {
      reply: "",
      payloads: [],
      usage: toUsage({ inputTokens: 0, outputTokens: 0 }),
      meta: { ...meta, session: { opened: "none" }, durationMs: 0, aborted: true },
    };
  }
}

/** Removes null parameters, because a gateway passes null for missing values. */
function withoutNull(params: AgentRuntimeRunParams): AgentRuntimeRunParams {
  const nulls = Object.entries(params ?? {}).filter(([, value]) => value === null);
  return { ...params, ...Object.fromEntries(nulls.map(([name]) => [name, undefined])) };
}

function toUsage(usage: Usage): UsageInfo {
  const { inputTokens: input, outputTokens: output, costUsd } = usage;
  const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = usage;
  const total = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, total, ...(costUsd !== undefined && { costUsd }) };
}

/** True if the runtime could not be loaded, so that nothing has run. */
function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}
