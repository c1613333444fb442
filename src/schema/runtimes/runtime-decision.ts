import { z } from "zod";
import { RuntimeName } from "../runtime.ts";

/** The sources that can decide the runtime of a session, in order of precedence. */
export const RuntimeSource = z.enum([
  /** `--runtime`, or `runtime` in the request. */
  "request",
  /** The session that is resumed, or the parent of a new one. */
  "session",
  /** `agent_runtime` in the project's `metadata.json`. */
  "project",
  /** The rig's `.gastown/runtime.json`. */
  "rig",
  /** The agent's entry in `agents.list`. */
  "agent",
  /** `agents.defaults.runtime` or `runtime` in `halyard.json`. */
  "settings",
  /** `agent_runtime` in `config/server.json`. */
  "server",
  /** `agents.defaults.runtime` or `runtime` in `config.json` in Halyard's home directory. */
  "user",
  /** `default` in `~/.gastown/runtimes.json`. */
  "registry",
  /** `defaultRuntime` in the options of `createHalyard`, if no other source names a runtime. Defaults to Pi. */
  "built-in",
]);
export type RuntimeSource = z.infer<typeof RuntimeSource>;

/** One source that was checked for a runtime, and the result. */
export const RuntimeStep = z.strictObject({
  /** The source. */
  source: RuntimeSource,
  /** The file that was read, if the source is a file. */
  file: z.string().optional(),
  /** The key in the file. */
  key: z.string().optional(),
  /** The runtime that the source names. */
  runtime: RuntimeName.optional(),
  /** True if this source decided the runtime. */
  decided: z.boolean(),
  /** Why the source did or did not decide the runtime. */
  reason: z.string(),
});
export type RuntimeStep = z.infer<typeof RuntimeStep>;

/** The runtime of a session, the source that decided it, and all sources that were checked. */
export const RuntimeDecision = z.strictObject({
  /** The runtime. */
  runtime: RuntimeName,
  /** The source that decided the runtime. */
  source: RuntimeSource,
  /** True if the runtime was chosen explicitly. Halyard then does not fall back to another runtime. */
  explicit: z.boolean(),
  /** All sources, in order of precedence. */
  steps: z.array(RuntimeStep),
});
export type RuntimeDecision = z.infer<typeof RuntimeDecision>;
