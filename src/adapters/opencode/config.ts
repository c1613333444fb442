import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { McpServers } from "../../schema/mcp-server.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { mcpConfig } from "./mcp-servers.ts";
import { type ModelSource, PROVIDER } from "./model.ts";

export interface ConfigParts {
  readonly source: ModelSource;
  readonly permissions: PermissionPolicy;
  /** Whether the model is to be told how hard to think: not every model behind an endpoint can be. */
  readonly reasons: boolean;
  /** The plugin that keeps what is OpenCode's own from its tools. */
  readonly plugin: string;
  /** Of the sessions that share the server. */
  readonly mcpServers: McpServers;
  /** Without it, OpenCode would fetch it over the network at the first search. */
  readonly hasRipgrep: boolean;
  /** Whether the files of the project may decide what runs. */
  readonly trusted: boolean;
}

/** Where OpenCode finds the key, so that its configuration does not hold it. */
export const KEY_VARIABLE = "HALYARD_MODEL_KEY";

/** What goes on top of the user's and the project's own configuration. */
export function generatedConfig(parts: ConfigParts): Record<string, unknown> {
  return {
    autoupdate: false,
    share: "disabled",
    plugin: [parts.plugin],
    permission: permissionRules(parts),
    // A denied tool is told to the model, which decides how to go on.
    experimental: { continue_loop_on_deny: true },
    mcp: mcpConfig(parts.mcpServers),
    // Both run programs that they find in the project, such as its own TypeScript or Prettier.
    ...(!parts.trusted && { lsp: false, formatter: false }),
    ...modelConfig(parts),
  };
}

/** The last rule that fits counts, so the general one comes first. */
function permissionRules({ permissions, hasRipgrep }: ConfigParts): Record<string, string> {
  const search = hasRipgrep ? "allow" : "deny";
  if (permissions === "allow-all")
    return hasRipgrep ? { "*": "allow" } : { "*": "allow", glob: search, grep: search };
  return {
    "*": "ask",
    edit: "ask",
    bash: "ask",
    webfetch: "ask",
    websearch: "ask",
    external_directory: "ask",
    doom_loop: "ask",
    read: "allow",
    list: "allow",
    lsp: "allow",
    glob: search,
    grep: search,
    skill: "allow",
    task: "allow",
    todoread: "allow",
    todowrite: "allow",
    question: "allow",
  };
}

function modelConfig({ source, reasons }: ConfigParts): Record<string, unknown> {
  const apiKey = `{env:${KEY_VARIABLE}}`;
  switch (source.kind) {
    case "own":
      return {};
    case "vendor":
      return { provider: { [source.provider]: { options: { apiKey } } } };
    case "endpoint": {
      const { id, baseUrl, api } = source.endpoint;
      const limit = { context: 128_000, output: 16_384 };
      const model = { name: id, tool_call: true, reasoning: reasons, limit };
      const options = { baseURL: sdkUrl(baseUrl, api), apiKey };
      const provider = { npm: packages[api], name: "Halyard", options, models: { [id]: model } };
      return {
        enabled_providers: [PROVIDER],
        model: `${PROVIDER}/${id}`,
        small_model: `${PROVIDER}/${id}`,
        provider: { [PROVIDER]: provider },
      };
    }
  }
}

/** Built into OpenCode: nothing is fetched for them. */
const packages = {
  anthropic: "@ai-sdk/anthropic",
  "openai-chat": "@ai-sdk/openai-compatible",
  "openai-responses": "@ai-sdk/openai",
} as const satisfies Record<ModelApi, string>;

/** These packages want the version in the URL for every vendor. */
function sdkUrl(baseUrl: string, api: ModelApi): string {
  const url = baseUrl.replace(/\/+$/, "");
  return api === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}

/** One rule of a session's own, which go before all configuration and, where they deny, are its subagents' too. */
export interface SessionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
}

/** A plan changes nothing, whatever else is allowed; a shell would. A tool that is denied is not even offered. */
export function sessionRules(
  request: Pick<ConnectRequest, "plan" | "permissions" | "tools">,
): SessionRule[] {
  const { plan, permissions, tools: { enabled, disabled = [] } = {} } = request;
  for (const name of [...(enabled ?? []), ...disabled])
    if (editing.has(name)) throw onlyAsOne(name);
  const usual = permissions === "allow-all" ? "allow" : "ask";
  const changing = rules(["edit", "bash"], plan ? "deny" : usual);
  const denied = rules(disabled, "deny");
  if (enabled === undefined) return [...changing, ...denied];
  const others = [...enabled, ...circumstances].filter((name) => !changes(name));
  const wanted = changing.filter(({ permission }) => enabled.includes(permission));
  return [...rules(["*"], "deny"), ...rules(others, usual), ...wanted, ...denied];
}

const changes = (name: string): boolean => name === "edit" || name === "bash";

/** What OpenCode asks permission for that is no tool. */
const circumstances = ["external_directory", "doom_loop"];

/** OpenCode has one permission for all tools that change files, and offers or withholds them together. */
const editing: ReadonlySet<string> = new Set(["write", "patch", "apply_patch", "multiedit"]);

function onlyAsOne(name: string): HalyardError {
  const message = `tools: OpenCode has ${name} only together with the others that edit: say edit`;
  return new HalyardError("unsupported", message);
}

function rules(permissions: readonly string[], action: SessionRule["action"]): SessionRule[] {
  return permissions.map((permission) => ({ permission, pattern: "*", action }));
}
