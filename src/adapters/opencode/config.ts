import type { McpServers } from "../../schema/mcp-server.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { mcpConfig } from "./mcp-servers.ts";
import { type ModelSource, PROVIDER } from "./model.ts";
import { permissionRules } from "./policy.ts";

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
