import { join, relative } from "node:path";
import { makeAgentDirectory, writeAgentFile } from "../../../permissions/agent-writable.ts";
import { ownDirectories } from "../command.ts";

/** Writes a lock file to the configuration directory below `dataDir`, so that OpenCode does not download its plugin package. */
export function seedPluginDirectory(dataDir: string): void {
  makeAgentDirectory(dataDir);
  const { XDG_CONFIG_HOME: config = "" } = ownDirectories(dataDir);
  const directory = join(relative(dataDir, config), "opencode");
  makeAgentDirectory(dataDir, join(directory, "node_modules"));
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
  writeAgentFile(dataDir, join(directory, "package-lock.json"), JSON.stringify(lock));
}
