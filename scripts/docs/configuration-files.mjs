import { RegistryFile } from "../../dist/compat/gas-town/files/registry.js";
import { RigFile } from "../../dist/compat/gas-town/files/rig.js";
import { FactoryFile } from "../../dist/config/files/factory.js";
import { ModelsFile } from "../../dist/config/files/models.js";
import { ProjectFile } from "../../dist/config/files/project.js";
import { WrittenServerFile } from "../../dist/config/files/server.js";
import { SettingsFile } from "../../dist/config/files/settings.js";
import { TrustFile } from "../../dist/config/files/trust.js";
import { ProjectDefaults } from "../../dist/schema/project/project.js";

/** The files that Halyard reads: location, purpose, schema, and an example that a test validates. */
export const configurationFiles = [
  {
    name: "halyard.json and config.json",
    where:
      "`halyard.json` contains the settings of a directory: Halyard reads the nearest one in the working directory or above it. `config.json` in Halyard's home contains the settings of the user.",
    about:
      "Both have the same keys. For each key, `halyard.json` takes precedence over `config.json`, within the limits of [trust](#trusted-directories). `agents.defaults` has the keys of an entry of `agents.list` except `id`, and sets the defaults of every agent.",
    schema: SettingsFile,
    leftOut: "agents.defaults",
    sources: [
      "config/files/settings.js",
      "config/files/agents.js",
      "schema/hook.js",
      "schema/workspace/worktree-settings.js",
      "schema/session/retention.js",
      "schema/telemetry.js",
      "schema/budget.js",
    ],
    example: {
      file: "halyard.json",
      text: `{
  "permissions": "allow-edits",
  "agents": {
    "defaults": { "runtime": "ccsdk", "provider": "anthropic" },
    "list": [
      { "id": "coder", "runtime": "codex", "model": "fast" },
      { "id": "writer", "ccsdk": { "hooksEnabled": false, "models": { "haiku": "claude-haiku-4-5" } } },
    ],
  },
  "hooks": [{ "command": ["notify-send", "An agent sent a message"], "events": ["OnMessage"] }],
}`,
    },
  },
  {
    name: "config/server.json",
    where: "Located in the config directory.",
    about:
      "If `agent_runtime` is missing, it defaults to `auto`. A file without any of these keys belongs to another program and is ignored.",
    schema: WrittenServerFile,
    sources: ["config/files/server.js"],
    example: {
      file: "config/server.json",
      text: `{
  "address": ":8080",
  "agent_runtime": "auto",
  "droid": { "default_model": "claude-sonnet-4-5" },
}`,
    },
  },
  {
    name: "config/factory.json",
    where: "Located in the config directory. Do not commit it.",
    about:
      "The key selects `droid` for `agent_runtime: auto` and signs Droid in. It takes precedence over `FACTORY_API_KEY`, which does not affect `auto`.",
    schema: FactoryFile,
    sources: ["config/files/factory.js"],
    example: { file: "config/factory.json", text: '{ "api_key": "fk-…" }' },
  },
  {
    name: "config/models.json",
    where: "Located in the config directory. Do not commit it if it contains keys.",
    about: "Defines names for model endpoints.",
    schema: ModelsFile,
    sources: ["config/files/models.js", "schema/model.js"],
    example: {
      file: "config/models.json",
      text: `{
  "models": {
    "fast": {
      "model": "qwen3",
      "baseUrl": "http://127.0.0.1:8000/v1",
      "api": "openai-chat",
      "apiKey": "\${MY_KEY}",
    },
  },
  "defaults": { "session_model": "fast" },
}`,
    },
  },
  {
    name: "config/project-defaults.json",
    where: "Located in the config directory.",
    about: "Sets the limits of projects that define none.",
    schema: ProjectDefaults,
    sources: ["schema/project/project.js"],
    example: {
      file: "config/project-defaults.json",
      text: '{ "max_recursion_depth": 3, "max_agents_per_session": 50, "max_cost_usd": 10 }',
    },
  },
  {
    name: "projects/ID/metadata.json",
    where: "Located beside the config directory. `halyard project create` writes it.",
    about: "Halyard reads these keys and preserves all others.",
    schema: ProjectFile,
    sources: ["config/files/project.js"],
    example: {
      file: "projects/ID/metadata.json",
      text: '{ "name": "docs", "agent_runtime": "opencode" }',
    },
  },
  {
    name: "~/.gastown/runtimes.json",
    where: "Located in the home directory of the user.",
    about:
      "Overrides settings of built-in runtimes and registers further ones. An entry with a new name is an agent that speaks ACP (`protocol: acp` or `delivery: rpc`) or a program with a screen, which runs in [tmux](../tmux.md). `delivery: tmux` starts sessions in tmux. A session does not start if the host or the runtime does not support the delivery.",
    schema: RegistryFile,
    sources: ["compat/gas-town/files/registry.js", "schema/runtimes/runtime-entry.js"],
    example: {
      file: "~/.gastown/runtimes.json",
      text: `{
  "default": "claude",
  "runtimes": {
    "claude": { "bin": "/opt/claude/bin/claude" },
    "codex": { "bin": "codex", "ready": "warmup", "delivery": "stdin" },
    "mine": { "bin": "/opt/mine/agent", "args": ["acp"], "protocol": "acp" },
  },
}`,
    },
  },
  {
    name: ".gastown/runtime.json",
    where: "Halyard reads the nearest one in the working directory or above it.",
    about: "Sets the runtime and the host of sessions in that directory.",
    schema: RigFile,
    sources: ["compat/gas-town/files/rig.js"],
    example: { file: ".gastown/runtime.json", text: '{ "runtime": "codex" }' },
  },
  {
    name: "trust.json",
    where: "Located in Halyard's home. `halyard trust` writes it.",
    about: "Lists the [trusted directories](#trusted-directories).",
    schema: TrustFile,
    sources: ["config/files/trust.js"],
    example: { file: "trust.json", text: '{ "directories": ["/home/me/work"] }' },
  },
];
