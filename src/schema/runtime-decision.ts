import { z } from "zod";
import { RuntimeName } from "./runtime.ts";

/** Who can decide which runtime a session gets, the first before the last. */
export const RuntimeSource = z.enum([
  /** `--runtime`, or `runtime` of the request. */
  "request",
  /** The session that is continued, or the parent of a new one. */
  "session",
  /** `agent_runtime` in the `metadata.json` of the project. */
  "project",
  /** `.gastown/runtime.json` of the rig. */
  "rig",
  /** The agent's entry in `agents.list`. */
  "agent",
  /** `agents.defaults.runtime` or `runtime` in `halyard.json`. */
  "settings",
  /** `agent_runtime` in `config/server.json`. */
  "server",
  /** `agents.defaults.runtime` or `runtime` in `config.json` of Halyard's home. */
  "user",
  /** `default` in `~/.gastown/runtimes.json`. */
  "registry",
  /** Pi. */
  "built-in",
]);
export type RuntimeSource = z.infer<typeof RuntimeSource>;

/** One place that was asked for a runtime, and what came of it. */
export const RuntimeStep = z.strictObject({
  /** The place. */
  source: RuntimeSource,
  /** The file that was looked into, where there is one. */
  file: z.string().optional(),
  /** The key in it. */
  key: z.string().optional(),
  /** What it says. */
  runtime: RuntimeName.optional(),
  /** True if this place decided. */
  decided: z.boolean(),
  /** Why it decided, or did not. */
  reason: z.string(),
});
export type RuntimeStep = z.infer<typeof RuntimeStep>;

/** Which runtime a session gets, who said so, and everybody who was asked. */
export const RuntimeDecision = z.strictObject({
  /** The runtime. */
  runtime: RuntimeName,
  /** The place that decided. */
  source: RuntimeSource,
  /** Somebody meant this runtime and no other: where it cannot run, nothing else runs in its place. */
  explicit: z.boolean(),
  /** All places, in order. */
  steps: z.array(RuntimeStep),
});
export type RuntimeDecision = z.infer<typeof RuntimeDecision>;
