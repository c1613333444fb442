import type { ProjectSetting } from "../schema/project-setting.ts";
import { claudeProjectSettings } from "./claude/project-settings.ts";
import { codexProjectSettings } from "./codex/project-settings.ts";
import { droidProjectSettings } from "./droid/project-settings.ts";
import { opencodeProjectSettings } from "./opencode/project-settings.ts";
import { piProjectSettings } from "./pi/project-settings.ts";

/** The project settings of every built-in runtime. Loads no adapter. */
export const builtInProjectSettings: readonly {
  readonly runtime: string;
  readonly settings: readonly ProjectSetting[];
}[] = [
  { runtime: "claude", settings: claudeProjectSettings },
  { runtime: "ccsdk", settings: claudeProjectSettings },
  { runtime: "codex", settings: codexProjectSettings },
  { runtime: "opencode", settings: opencodeProjectSettings },
  { runtime: "droid", settings: droidProjectSettings },
  { runtime: "pi", settings: piProjectSettings("sdk") },
  // `halyard start`, a container, or a program of the user
  { runtime: "pi as a process", settings: piProjectSettings("rpc") },
];
