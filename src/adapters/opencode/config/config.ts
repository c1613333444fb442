import type { McpServers } from "../../../schema/mcp-server.ts";
import type { ModelApi } from "../../../schema/model.ts";
import type { PermissionPolicy } from "../../../schema/permission.ts";
import { permissionRules } from "../policy.ts";
import { mcpConfig } from "./mcp-servers.ts";
import { type ModelSource, PROVIDER } from "./model.ts";

export interface ConfigParts {
  readonly source: ModelSource;
  readonly permissions: PermissionPolicy;
  /** True if the session sets a reasoning level other than `off`. Not every model at an endpoint supports reasoning. */
  readonly reasons: boolean;
  /** The URL of the plugin that hides OpenCode's variables from its tools. */
  readonly plugin: string;
  /** The MCP servers of the sessions that share the server. */
  readonly mcpServers: McpServers;
  /** True if ripgrep is installed. Otherwise, OpenCode would download it at the first search. */
  readonly hasRipgrep: boolean;
  /** True if project files may start programs. */
  readonly trusted: boolean;
}

/** The variable that contains the model key, so that the configuration does not contain it. */
export const KEY_VARIABLE = "HALYARD_MODEL_KEY";

/** Builds the configuration that overrides the user's and the project's configuration. */
export function generatedConfig(parts: ConfigParts): Record<string, unknown> {
  return {
    autoupdate: false,
    share: "disabled",
    plugin: [parts.plugin],
    permission: permissionRules(parts),
    // With this option, OpenCode reports a denied tool to the model, which then continues the turn.
    experimental: { continue_loop_on_deny: true },
    mcp: mcpConfig(parts.mcpServers),
    // Disabled, because both run the project's programs, such as its own TypeScript or Prettier.
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
      // Without these fields, OpenCode replaces images with an error text.
      const images = {
        attachment: true,
        modalities: { input: ["text", "image"], output: ["text"] },
      };
      const model = { name: id, tool_call: true, reasoning: reasons, limit, ...images };
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

/** The package for each API. OpenCode contains these packages and does not download them. */
const packages = {
  anthropic: "@ai-sdk/anthropic",
  "openai-chat": "@ai-sdk/openai-compatible",
  "openai-responses": "@ai-sdk/openai",
} as const satisfies Record<ModelApi, string>;

/**
 * Returns the endpoint's URL with the API version, which OpenCode's packages require. The URLs of OpenAI APIs already
 * contain the version.
 */
function sdkUrl(baseUrl: string, api: ModelApi): string {
  const url = baseUrl.replace(/\/+$/, "");
  return api === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}
