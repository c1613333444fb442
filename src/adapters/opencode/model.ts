import { type ProviderSource, providerSource } from "../../core/provider-source.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where OpenCode gets its model from. */
export type ModelSource = ProviderSource;

/** What OpenCode calls a provider of our making. */
export const PROVIDER = "halyard";

export function modelSource(
  model: ModelEndpoint | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ModelSource {
  return providerSource(model, { program: "OpenCode", env });
}

/** OpenCode's names for how hard to think, the best first; a model has some of them, or none. */
export function variantsFor(level: ReasoningLevel | undefined): readonly string[] {
  return level === undefined ? [] : variants[level];
}

const variants = {
  off: ["none"],
  minimal: ["minimal", "low"],
  low: ["low", "minimal"],
  medium: ["medium", "high", "low"],
  high: ["high", "max", "medium"],
  max: ["max", "xhigh", "high"],
} as const satisfies Record<ReasoningLevel, readonly string[]>;
