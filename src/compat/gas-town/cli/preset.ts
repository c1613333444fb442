import type { RuntimeName } from "../../../schema/runtime.ts";

/** Halyard's entry in Gas Town's `settings/agents.json`. Gas Town defines the field names. */
export interface GtPreset {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly process_names: readonly string[];
  readonly session_id_env: string;
  readonly resume_flag: string;
  readonly resume_style: "flag";
  readonly prompt_mode: "arg";
  readonly ready_prompt_prefix: string;
  readonly ready_delay_ms: number;
  readonly instructions_file: string;
  /** Prevents Gas Town from sending Escape before each Enter, because Escape cancels a request. */
  readonly escape_cancels_request: boolean;
  readonly acp: { readonly mode: "subcommand"; readonly command: string; readonly args: string[] };
}

/** Returns the preset for a runtime. If none is given, the configuration chooses the runtime. */
export function presetFor(runtime: RuntimeName | undefined): GtPreset {
  const chosen = runtime === undefined ? [] : ["--runtime", runtime];
  const args = [...chosen, "--permissions", "allow-all"]; // no user watches a pane; Gas Town's own agents do the same
  return {
    name: runtime === undefined ? "halyard" : `halyard-${runtime}`,
    command: "halyard",
    args: ["gt", "agent", ...args],
    process_names: ["node", "halyard"],
    session_id_env: "GT_SESSION_ID",
    resume_flag: "--resume",
    resume_style: "flag",
    prompt_mode: "arg",
    ready_prompt_prefix: "› ",
    ready_delay_ms: 10_000,
    instructions_file: "AGENTS.md",
    escape_cancels_request: true,
    acp: { mode: "subcommand", command: "acp", args },
  };
}
