import { z } from "zod";
import { RuntimeName } from "../runtime.ts";
import { RuntimeStep } from "../runtimes/runtime-decision.ts";

/** The arguments of `Halyard.explain`: a session that would be started. */
export const ExplainRequest = z.strictObject({
  /**
   * The working directory.
   * @example "/home/me/project"
   */
  cwd: z.string().min(1),
  /**
   * The runtime that the request names.
   * @defaultValue none: the configuration decides
   * @example "codex"
   */
  runtime: RuntimeName.exactOptional(),
  /**
   * The id of a project.
   * @defaultValue none
   * @example "prj_1"
   */
  project: z.string().min(1).exactOptional(),
});
export type ExplainRequest = z.input<typeof ExplainRequest>;

/** One setting of a session that would be started, and its source. */
export const ExplainedSetting = z.strictObject({
  setting: z.enum(["runtime", "model", "keys", "permissions", "host"]),
  /** The value. For a key, only states whether it is set. */
  value: z.string(),
  /** The source of the value: the request, a file, a variable or a default. For a missing value, the reason. */
  by: z.string(),
});
export type ExplainedSetting = z.infer<typeof ExplainedSetting>;

/** The settings of a session that would be started, without any key. */
export const Explanation = z.strictObject({
  settings: z.array(ExplainedSetting),
  /** All sources that could have named the runtime, in order of precedence. */
  steps: z.array(RuntimeStep),
  /** Warnings about configuration settings that have no effect. */
  warnings: z.array(z.string()),
  /** True if the user trusts the files of the directory. */
  trusted: z.boolean(),
});
export type Explanation = z.infer<typeof Explanation>;
