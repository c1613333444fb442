import { z } from "zod";
import { RuntimeName } from "../../schema/runtime.ts";
import type { RuntimeEntry } from "../../schema/runtimes/runtime-entry.ts";

const words = z.array(z.string()).optional();

/** An agent in Gas Town's `settings/agents.json`, with the fields that Halyard reads. */
const Preset = z.looseObject({
  command: z.string().min(1).optional(),
  args: words,
  env: z.record(z.string(), z.string()).optional(),
  process_names: words,
  ready_prompt_prefix: z.string().optional(),
  ready_delay_ms: z.number().int().nonnegative().optional(),
  acp: z
    .looseObject({
      mode: z.string().optional(),
      /** An argument of the agent in the modes `subcommand` and `flag`, a separate program in any other mode. */
      command: z.string().min(1).optional(),
      args: words,
    })
    .optional(),
});
type Preset = z.infer<typeof Preset>;

/** Gas Town's `settings/agents.json`. */
export const PresetsFile = z.looseObject({ agents: z.record(z.string(), Preset) });
export type PresetsFile = z.infer<typeof PresetsFile>;

export interface ImportedRuntimes {
  readonly entries: Readonly<Record<string, RuntimeEntry>>;
  /** The agents and fields that were skipped, with the reason. */
  readonly warnings: readonly string[];
}

/** Converts Gas Town's agents to registry entries. `builtIn` lists the runtimes that have an adapter. */
export function importPresets(
  { agents }: PresetsFile,
  builtIn: readonly RuntimeName[],
): ImportedRuntimes {
  const entries: Record<string, RuntimeEntry> = {};
  const warnings: string[] = [];
  for (const [name, preset] of Object.entries(agents)) {
    if (!RuntimeName.safeParse(name).success) {
      warnings.push(
        `${name} was not imported: a runtime's name must be lower-case, such as pi. Rename the agent.`,
      );
      continue;
    }
    const isBuiltIn = builtIn.includes(name);
    if (isBuiltIn && preset.args !== undefined && preset.args.length > 0) {
      // These arguments are for another mode. In Halyard's mode, they may disable permission requests.
      const line = preset.args.join(" ");
      warnings.push(`${name}: ${line} applies to its interactive mode, which Halyard does not use`);
    }
    entries[name] = isBuiltIn ? commonOf(preset) : ownRuntime(preset);
    const unknown = Object.keys(preset).filter((key) => !known.has(key));
    if (unknown.length > 0) warnings.push(`${name}: Halyard ignores ${unknown.join(", ")}`);
  }
  return { entries, warnings };
}

const known = new Set([...Object.keys(Preset.shape), "name"]);

function commonOf({ command, env, process_names, ...ready }: Preset): RuntimeEntry {
  const { ready_prompt_prefix: prefix, ready_delay_ms: delay } = ready;
  const kind = prefix ? "prompt" : delay === undefined ? undefined : "warmup";
  return {
    ...(command !== undefined && { bin: command }),
    ...(env !== undefined && { env }),
    ...(kind !== undefined && { ready: kind }),
    ...(prefix && { ready_prompt_prefix: prefix }),
    ...(delay !== undefined && { ready_delay_ms: delay }),
    ...(process_names !== undefined && { process_names }),
  };
}

/** Returns an entry that runs the agent over ACP if the agent supports ACP, and on a screen otherwise. */
function ownRuntime(preset: Preset): RuntimeEntry {
  const { args = [], acp } = preset;
  if (acp === undefined) return { ...commonOf(preset), args, delivery: "tmux" };
  return { ...commonOf(preset), ...acpLine(acp), protocol: "acp" };
}

function acpLine({ mode, command, args = [] }: NonNullable<Preset["acp"]>): RuntimeEntry {
  if (command === undefined) return { args };
  const isWord = mode === "subcommand" || mode === "flag";
  return isWord ? { args: [command, ...args] } : { bin: command, args };
}
