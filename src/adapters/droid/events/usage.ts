import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { TokenUsage } from "../messages.ts";

interface RunningTotals {
  readonly tokenUsage?: TokenUsage | undefined;
  readonly inclusiveTokenUsage?: TokenUsage | undefined;
  readonly lastCallTokenUsage?: TokenUsage | undefined;
}

interface TurnUsage {
  readonly tokenUsage?: TokenUsage | undefined;
  readonly cumulativeTokenUsage?: TokenUsage | undefined;
  readonly childTokenUsage?: TokenUsage | undefined;
}

/** Computes each turn's usage. Droid reports some turns only as part of a running total. */
export class TurnUsages {
  #total = noUsage;
  /** The session's last running total, if it is known. */
  #session: Usage | undefined;
  /** The running total at the start of the turn. */
  #start: Usage | undefined;

  /** Records the running total at the start of a turn. */
  begin(): void {
    this.#start = this.#session;
  }

  /**
   * Returns the turn's usage so far, or undefined outside a turn. If another process started the session, the total at
   * the start of the turn is the first reported total minus the usage of the last request.
   */
  running(
    { tokenUsage, inclusiveTokenUsage = tokenUsage, lastCallTokenUsage }: RunningTotals,
    { isInTurn }: { readonly isInTurn: boolean },
  ): Usage | undefined {
    if (inclusiveTokenUsage === undefined) return undefined;
    const total = toUsage(inclusiveTokenUsage);
    this.#session = total;
    if (!isInTurn) return undefined;
    this.#start ??= difference(total, toUsage(lastCallTokenUsage));
    return difference(total, this.#start);
  }

  of({ tokenUsage, cumulativeTokenUsage, childTokenUsage }: TurnUsage): Usage {
    const before = this.#total;
    const after = toUsage(cumulativeTokenUsage);
    if (cumulativeTokenUsage) this.#total = after;
    const own = tokenUsage ? toUsage(tokenUsage) : difference(after, before);
    return addUsage(own, toUsage(childTokenUsage));
  }
}

function toUsage(usage: TokenUsage | undefined): Usage {
  if (usage === undefined) return noUsage;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
  return tidyUsage({
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: cacheCreationTokens,
    reasoningTokens: thinkingTokens,
  });
}

function difference(now: Usage, before: Usage): Usage {
  const less = (name: keyof Usage): number => Math.max(0, (now[name] ?? 0) - (before[name] ?? 0));
  return tidyUsage({
    inputTokens: less("inputTokens"),
    outputTokens: less("outputTokens"),
    cacheReadTokens: less("cacheReadTokens"),
    cacheWriteTokens: less("cacheWriteTokens"),
    reasoningTokens: less("reasoningTokens"),
  });
}
