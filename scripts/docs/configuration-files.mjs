import { FactoryFile } from "../../dist/config/files/factory.js";
import { ModelsFile } from "../../dist/config/files/models.js";
import { ProjectFile } from "../../dist/config/files/project.js";
import { RegistryFile } from "../../dist/config/files/registry.js";
import { RigFile } from "../../dist/config/files/rig.js";
import { WrittenServerFile } from "../../dist/config/files/server.js";
import { SettingsFile } from "../../dist/config/files/settings.js";
import { TrustFile } from "../../dist/config/files/trust.js";
import { ProjectDefaults } from "../../dist/schema/project.js";

/** The files Halyard reads: where each is, what it is for, its schema, and an example that a test checks. */
export const configurationFiles = [
  {
    name: "halyard.json and config.json",
    where:
      "`halyard.json` of the project, in the working directory or above it, the nearest; `config.json` of the user, in Halyard's home.",
    about:
      "The same keys in both, and the project's before the user's, each for itself. `agents.defaults` has the keys of an entry of `agents.list`, but for `id`, and counts for every agent that says nothing of it.",
    schema: SettingsFile,
    leftOut: "agents.defaults",
    sources: ["config/files/settings.js", "config/files/agents.js", "schema/hook.js"],
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
  "hooks": [{ "command": ["notify-send", "an agent has something to say"], "events": ["OnMessage"] }],
}`,
    },
  },
  {
    name: "config/server.json",
    where: "In the config directory.",
    about:
      "Without `agent_runtime` it means `auto`; one that has none of these keys is another program's, and left alone.",
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
    where: "In the config directory; keep it out of git.",
    about:
      "Its key decides `auto` and signs Droid in, before `FACTORY_API_KEY`, which decides nothing.",
    schema: FactoryFile,
    sources: ["config/files/factory.js"],
    example: { file: "config/factory.json", text: '{ "api_key": "fk-…" }' },
  },
  {
    name: "config/models.json",
    where: "In the config directory; keep it out of git where it holds keys.",
    about: "Models by names of your own.",
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
    where: "In the config directory.",
    about: "How far a project's sessions may go that says nothing of it.",
    schema: ProjectDefaults,
    sources: ["schema/project.js"],
    example: {
      file: "config/project-defaults.json",
      text: '{ "max_recursion_depth": 3, "max_agents_per_session": 50, "max_cost_usd": 10 }',
    },
  },
  {
    name: "projects/ID/metadata.json",
    where: "Beside the config directory; `halyard project create` writes it.",
    about: "These keys decide how its sessions are run, and the rest is the project's own.",
    schema: ProjectFile,
    sources: ["config/files/project.js"],
    example: {
      file: "projects/ID/metadata.json",
      text: '{ "name": "docs", "agent_runtime": "opencode" }',
    },
  },
  {
    name: "~/.gastown/runtimes.json",
    where: "In the user's home.",
    about:
      "What differs from the built-in runtimes, and runtimes of your own: an entry with another name is an agent that speaks ACP (`protocol: acp`, or `delivery: rpc`) or a program with a screen of its own, which runs in tmux ([tmux.md](tmux.md)). `delivery: tmux` puts sessions into tmux; one that the host or the runtime cannot do is refused when a session starts.",
    schema: RegistryFile,
    sources: ["config/files/registry.js", "schema/runtime-entry.js"],
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
    where: "In a rig: the working directory or above it, the nearest.",
    about: "The runtime and the host for all that works there.",
    schema: RigFile,
    sources: ["config/files/rig.js"],
    example: { file: ".gastown/runtime.json", text: '{ "runtime": "codex" }' },
  },
  {
    name: "trust.json",
    where: "In Halyard's home; `halyard trust` writes it.",
    about: "The directories whose files you trust.",
    schema: TrustFile,
    sources: ["config/files/trust.js"],
    example: { file: "trust.json", text: '{ "directories": ["/home/me/work"] }' },
  },
];
