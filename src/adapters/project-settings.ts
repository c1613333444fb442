import { basename } from "node:path";
import type { ProjectSetting } from "../schema/project/project-setting.ts";
import { acpProjectSettings, agentsWithSettings } from "./acp/agent/project-settings.ts";
import { claudeProjectSettings } from "./claude/project-settings.ts";
import { codexProjectSettings } from "./codex/project-settings.ts";
import { droidProjectSettings } from "./droid/project-settings.ts";
import { opencodeProjectSettings } from "./opencode/project-settings.ts";
import { piProjectSettings } from "./pi/project-settings.ts";

/** Project settings and the runtime that reads them. */
interface RuntimeSettings {
  readonly runtime: string;
  readonly settings: readonly ProjectSetting[];
}

/** The project settings of every built-in runtime. Listing them loads no adapter. */
export const builtInProjectSettings: readonly RuntimeSettings[] = [
  { runtime: "claude", settings: claudeProjectSettings },
  { runtime: "ccsdk", settings: claudeProjectSettings },
  { runtime: "codex", settings: codexProjectSettings },
  { runtime: "opencode", settings: opencodeProjectSettings },
  { runtime: "droid", settings: droidProjectSettings },
  { runtime: "pi", settings: piProjectSettings("sdk") },
  // Pi runs as a separate process with `halyard start`, in a container, or if the user configured a program.
  { runtime: "pi as a process", settings: piProjectSettings("rpc") },
];

const builtInPaths = new Set(
  builtInProjectSettings.flatMap(({ settings }) => settings.map(({ path }) => path)),
);

/**
 * The project settings of every runtime, including the known ACP agents. A decision to trust a directory applies to all
 * runtimes, so the user must see all runtimes' files.
 */
export const allProjectSettings: readonly RuntimeSettings[] = [
  ...builtInProjectSettings,
  ...agentsWithSettings.map((runtime) => ({
    runtime,
    settings: acpProjectSettings(runtime).filter(({ path }) => !builtInPaths.has(path)),
  })),
];

/** Maps the names of programs to the runtimes whose files they read, if the names differ. */
const readers: Readonly<Record<string, string>> = {
  "claude-agent-acp": "claude",
  "claude-code-acp": "claude",
  "codex-acp": "codex",
};

/**
 * Returns the project settings that a program of the user reads, such as an ACP agent or a program on a screen. Halyard
 * starts such a program without an option that disables its settings, so no setting has `ignoredBy`. An unknown program
 * may read the settings of every runtime.
 */
export function settingsOfProgram(program: string): readonly ProjectSetting[] {
  const name = basename(program);
  const runtime = Object.hasOwn(readers, name) ? readers[name] : name;
  const known = [
    ...builtInProjectSettings
      .filter((one) => one.runtime === runtime)
      .flatMap(({ settings }) => settings),
    ...acpProjectSettings(name),
  ];
  const read = known.length > 0 ? known : allProjectSettings.flatMap(({ settings }) => settings);
  return read.map(({ ignoredBy: _, ...setting }) => setting);
}
