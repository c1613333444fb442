import { type ProviderSource, providerSource } from "../../../adapter-kit/provider-source.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../../schema/model.ts";

/** The source of OpenCode's model. */
export type ModelSource = ProviderSource;

/** The id of the provider that Halyard configures. */
export const PROVIDER = "halyard";

/** Chooses the source of OpenCode's model. See `providerSource`. */
export function modelSource(
  model: ModelEndpoint | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ModelSource {
  return providerSource(model, { program: "OpenCode", env });
}

/** Returns OpenCode's variants for a reasoning level, best match first. A model supports some of them or none. */
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
