import { randomUUID } from "node:crypto";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { Halyard } from "../../core/halyard.ts";
import { parseInput } from "../../core/parse-input.ts";
import type { Outcome, Usage } from "../../schema/outcome.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import type {
  AgentRuntime,
  AgentRuntimeKind,
  AgentRuntimeMeta,
  AgentRuntimeResult,
  AgentRuntimeRunParams,
  Attempt,
  UsageInfo,
} from "./agent-runtime.ts";
import { finalText } from "./final-tag.ts";
import { Lanes } from "./lanes.ts";
import { decideRuntime, type RunConfig } from "./run-config.ts";
import { openRunSession } from "./run-session.ts";
import { tell } from "./tell.ts";
import { Transcript } from "./transcript.ts";

/** Where runs happen, and how many of them at once. */
export interface RunOptions extends HalyardSourceOptions {
  /** For all agents together, to be shared between their runtimes: eight places of its own, unless given. */
  readonly lanes?: Lanes;
}

/**
 * The runtime of an agent; `forceKind` goes before the configuration. Where the one of the defaults cannot run here,
 * Pi takes its place, and every result says so.
 */
export async function createAgentRuntime(
  config: RunConfig,
  agentId: string,
  forceKind?: AgentRuntimeKind,
  options: RunOptions = {},
): Promise<AgentRuntime> {
  const decision = decideRuntime(config, agentId);
  const kind = forceKind ?? decision.runtime;
  if (kind === "pi") return createPiAgentRuntime(config, options);
  await using source = new HalyardSource(options);
  const { displayName, availability } = await (await source.open()).examine(kind);
  if (availability.available) return new RunningRuntime({ kind, displayName, config, options });
  const reason = `${kind} cannot run here: ${availability.reason}. ${availability.hint}`;
  if (forceKind !== undefined || decision.explicit)
    throw new HalyardError("runtime_unavailable", reason);
  return createPiAgentRuntime(config, options, [{ runtime: kind, error: reason }]);
}

/** Pi as a runtime. `failed` are those that it takes the place of. */
export function createPiAgentRuntime(
  config: RunConfig = {},
  options: RunOptions = {},
  failed: readonly Attempt[] = [],
): AgentRuntime {
  return new RunningRuntime({ kind: "pi", displayName: "Pi Agent", config, options, failed });
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

class RunningRuntime implements AgentRuntime {
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
    const { prompt, timeoutMs, abortSignal: signal, runId = randomUUID() } = params;
    const { kind } = this;
    const { session, opened } = await openRunSession(halyard, kind, this.#parts.config, params);
    const isEnforced = kind === "pi" && params.piOptions?.enforceFinalTag === true;
    const show = (text: string) => finalText(text, { enforce: isEnforced });
    const transcript = new Transcript();
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    const turn = session.send(prompt, { ...(signal && { signal }), ...limit });
    try {
      const payloads = await tell(turn, params, {
        runId,
        show,
        hear: (event) => transcript.hear(event),
      });
      const outcome = await turn.outcome;
      requireEnded(outcome);
      const { runtimeSessionId } = session.info;
      const meta: AgentRuntimeMeta = {
        runtime: kind,
        provider: params.provider,
        model: params.model,
        runId,
        sessionId: session.id,
        ...(runtimeSessionId !== undefined && { runtimeSessionId }),
        session: opened,
        durationMs: outcome.durationMs,
        aborted: outcome.status === "cancelled",
        attempts: [...(this.#parts.failed ?? []), { runtime: kind }],
      };
      return { reply: show(outcome.text), payloads, usage: toUsage(outcome.usage), meta };
    } finally {
      await session.stop("the run is over");
      if (kind !== "pi") await transcript.write(params.sessionFile, session.info);
    }
  }
}

function requireEnded({ status, error }: Outcome): void {
  if (status === "failed")
    throw new HalyardError(error?.code ?? "agent_failed", error?.message ?? "the turn failed");
}

function toUsage(usage: Usage): UsageInfo {
  const { inputTokens: input, outputTokens: output, costUsd } = usage;
  const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = usage;
  const total = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, total, ...(costUsd !== undefined && { costUsd }) };
}
