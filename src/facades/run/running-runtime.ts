import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Halyard, Session } from "../../core/halyard.ts";
import { Lanes } from "../../core/lanes.ts";
import { parseInput } from "../../core/parse-input.ts";
import { failureOf } from "../../core/turn-results.ts";
import type { Usage } from "../../schema/outcome.ts";
import { Transcript } from "../../session-files/transcript.ts";
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
import type { RunConfig } from "./run-config.ts";
import { openRunSession } from "./run-session.ts";
import { tell } from "./tell.ts";

/** Where runs happen, and how many of them at once. */
export interface RunOptions extends HalyardSourceOptions {
  /** For all agents together, to be shared between their runtimes: eight places of its own, unless given. */
  readonly lanes?: Lanes;
}

interface Parts {
  readonly kind: AgentRuntimeKind;
  readonly displayName: string;
  readonly config: RunConfig;
  readonly options: RunOptions;
  readonly failed?: readonly Attempt[];
}

const required = z.string().min(1);
const Required = z.looseObject({
  sessionId: required,
  sessionFile: required,
  workspaceDir: required,
  prompt: required,
  provider: required,
  model: required,
});

/** Runs turns, each in a session that is opened for it and stopped behind it. */
export class RunningRuntime implements AgentRuntime {
  readonly kind: AgentRuntimeKind;
  readonly displayName: string;
  readonly #parts: Parts;
  readonly #lanes: Lanes;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.kind = parts.kind;
    this.displayName = parts.displayName;
    this.#lanes = parts.options.lanes ?? new Lanes({ places: 8 });
  }

  async run(params: AgentRuntimeRunParams): Promise<AgentRuntimeResult> {
    parseInput(Required, params);
    return this.#lanes.run(params.sessionKey ?? params.sessionId, async () => {
      await using source = new HalyardSource(this.#parts.options);
      return await this.#run(await source.open(), params); // before the source is gone
    });
  }

  async #run(halyard: Halyard, params: AgentRuntimeRunParams): Promise<AgentRuntimeResult> {
    const { kind } = this;
    const { config, failed = [] } = this.#parts;
    const { session, opened } = await openRunSession(halyard, kind, config, params);
    const transcript = new Transcript();
    try {
      const { runId, outcome, ...said } = await this.#send(session, params, transcript);
      const { provider, model } = params;
      const { runtimeSessionId } = session.info;
      const meta = {
        ...{ runtime: kind, provider, model, runId, sessionId: session.id },
        ...(runtimeSessionId !== undefined && { runtimeSessionId }),
        session: opened,
        durationMs: outcome.durationMs,
        aborted: outcome.status === "cancelled",
        attempts: [...failed, { runtime: kind }],
      };
      return { ...said, usage: toUsage(outcome.usage), meta };
    } finally {
      await session.stop("the run is over");
      if (kind !== "pi") await transcript.write(params.sessionFile, session.info);
    }
  }

  async #send(session: Session, params: AgentRuntimeRunParams, transcript: Transcript) {
    const { prompt, timeoutMs, abortSignal: signal, runId = randomUUID() } = params;
    const enforce = this.kind === "pi" && params.piOptions?.enforceFinalTag === true;
    const show = (text: string) => finalText(text, { enforce });
    const limit = timeoutMs !== undefined && { timeoutMs };
    const turn = session.send(prompt, { ...(signal && { signal }), ...limit });
    const hear = transcript.hear.bind(transcript);
    const payloads = await tell(turn, params, { runId, show, hear });
    const outcome = await turn.outcome;
    if (outcome.status === "failed") throw failureOf(outcome);
    return { reply: show(outcome.text), payloads, runId, outcome };
  }
}

function toUsage(usage: Usage): UsageInfo {
  const { inputTokens: input, outputTokens: output, costUsd } = usage;
  const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = usage;
  const total = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, total, ...(costUsd !== undefined && { costUsd }) };
}
