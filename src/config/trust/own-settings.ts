import { RIG_FILE } from "../../compat/gas-town/files/names.ts";
import type { SettingsOf } from "./find-settings.ts";

const ignoredBy = "Halyard";

/** Halyard's own project files with settings that apply only in a trusted directory. */
export const ownProjectSettings: SettingsOf = {
  runtime: "halyard",
  settings: [
    {
      path: "halyard.json",
      effect: "can choose the host, loosen permissions, and run hooks and set-up commands",
      harmlessKeys: ["$schema", "model", "runtime"],
      ignoredBy,
    },
    {
      path: RIG_FILE,
      effect: "can choose the host",
      harmlessKeys: ["$schema", "runtime"],
      ignoredBy,
    },
    {
      path: "config/models.json",
      effect: "sends sessions and keys to the endpoints that it names",
      harmlessKeys: ["$schema"],
      ignoredBy,
    },
    {
      path: "config/factory.json",
      effect: "contains a key for Droid",
      harmlessKeys: ["$schema"],
      ignoredBy,
    },
  ],
};
