import type { ProjectSetting } from "../../schema/project/project-setting.ts";

const harmlessKeys = [
  "compaction",
  "defaultModel",
  "defaultProvider",
  "defaultThinkingLevel",
  "theme",
];

/**
 * Returns Pi's project files that run code. In this process, Pi reads its settings through Halyard, which omits the
 * settings of an untrusted project. A separate Pi process reads the settings itself and has no option to prevent that.
 */
export function piProjectSettings(mode: "sdk" | "rpc"): readonly ProjectSetting[] {
  const ignoredBy = mode === "sdk" ? "a resource loader for another directory" : "--no-extensions";
  return [
    {
      path: ".pi/settings.json",
      effect: "can set the shell and load packages and extensions",
      harmlessKeys,
      ...(mode === "sdk" && { ignoredBy: "settings that exclude the project's" }),
    },
    { path: ".pi/extensions/", effect: "is code that Pi loads", ignoredBy },
  ];
}
