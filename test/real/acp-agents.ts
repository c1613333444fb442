import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acpAdapter } from "../../src/adapters/acp/index.ts";
import { claudeToolCalls } from "../../src/adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../src/adapters/codex/events/tool-calls.ts";
import { droidToolCalls } from "../../src/adapters/droid/events/tool-calls.ts";
import type { Adapter } from "../../src/contracts/adapter.ts";
import { createLocalHost } from "../../src/hosts/local/index.ts";
import type { ModelApi } from "../../src/schema/model.ts";
import type { RuntimeUnderTest } from "../../src/testing/adapter-suite/runtime-under-test.ts";
import type { ModelToolCall } from "../../src/testing/script.ts";
import { runtimesDir } from "./runtimes-dir.ts";
import type { ScenePaths } from "./scene.ts";

/** A real ACP agent and its configuration for a scripted model. */
interface RealAgent {
  readonly title: string;
  /** The protocol version with which the agent responds if the client requests version 2. */
  readonly version: 1 | 2;
  readonly api: ModelApi;
  readonly command: readonly string[];
  readonly tools: RuntimeUnderTest["tools"];
  /** True if the agent sends no deltas. */
  readonly isSlowToSpeak?: true;
  readonly encodesImages?: true;
  /** Undefined if the agent cannot fork a session. */
  readonly forks?: true;
  /** The variables of an agent whose client sets the model endpoint. Undefined if a client cannot set the endpoint. */
  readonly withoutModel?: (directory: string) => Record<string, string>;
  /** True if the agent sends a placeholder as the bearer token, so that an endpoint that checks it rejects the request. */
  readonly sendsPlaceholder?: true;
  /** The tool call with which the model asks the user. Undefined if the agent asks over ACP only for permissions. */
  readonly asks?: ModelToolCall;
  /** The outcome of a turn with a denied tool, and the remaining text of the model. */
  readonly denied: { readonly status: "completed" | "cancelled"; readonly spoken: string[] };
  /** Returns the environment of the agent for a model. May write files to `directory`. */
  prepare(
    model: { baseUrl: string; apiKey: string; id: string },
    directory: string,
  ): Promise<Record<string, string>>;
}

const installed = (...path: string[]): string => join(runtimesDir, ...path);
const wrapper = (folder: string, name: string): string =>
  installed(folder, "node_modules", "@agentclientprotocol", name, "dist", "index.js");
const platform = `${process.platform}-${process.arch}`;

/** Over ACP, Droid does not wait for its MCP servers, so their tools may be missing. */
const { mcp: _, ...droidTools } = droidToolCalls;

export const realAgents: readonly RealAgent[] = [
  {
    title: "opencode acp",
    version: 1,
    forks: true,
    api: "openai-chat",
    command: [
      installed("opencode", "node_modules", `opencode-${platform}`, "bin", "opencode"),
      "acp",
    ],
    tools: {
      write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
      shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
      mcp: (server, tool) => ({ name: `${server}_${tool}`, input: {} }),
      edit: (filePath, oldString, newString) => ({
        name: "edit",
        input: { filePath, oldString, newString },
      }),
    },
    denied: { status: "completed", spoken: ["Then not."] },
    async prepare({ baseUrl, apiKey, id }, directory) {
      const limit = { context: 128_000, output: 16_384 };
      const images = {
        attachment: true,
        modalities: { input: ["text", "image"], output: ["text"] },
      };
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: baseUrl, apiKey: "{env:AGENT_KEY}" },
        models: { [id]: { name: id, tool_call: true, reasoning: true, limit, ...images } },
      };
      const config = {
        autoupdate: false,
        share: "disabled",
        permission: { edit: "ask", bash: "ask", "depths*": "ask" },
        experimental: { continue_loop_on_deny: true },
        enabled_providers: ["scripted"],
        model: `scripted/${id}`,
        small_model: `scripted/${id}`,
        provider: { scripted: provider },
      };
      const catalog = join(directory, "models.json");
      await writeFile(catalog, "{}"); // OpenCode's own catalog costs a second of CPU time at each start
      return {
        AGENT_KEY: apiKey,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_MODELS_PATH: catalog,
      };
    },
  },
  {
    title: "claude-agent-acp",
    version: 2,
    forks: true,
    sendsPlaceholder: true,
    withoutModel: (directory) => ({
      CLAUDE_CODE_MAX_RETRIES: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CONFIG_DIR: directory,
      IS_SANDBOX: "1",
    }),
    asks: {
      name: "AskUserQuestion",
      input: {
        questions: [
          {
            question: "Which bird?",
            header: "Bird",
            options: [
              { label: "Heron", description: "gray" },
              { label: "Gull", description: "white" },
            ],
            multiSelect: false,
          },
        ],
      },
    },
    api: "anthropic",
    command: [process.execPath, wrapper("acp-claude-agent", "claude-agent-acp")],
    tools: claudeToolCalls,
    denied: { status: "completed", spoken: ["Then not."] },
    async prepare({ baseUrl, apiKey }, directory) {
      return {
        ANTHROPIC_BASE_URL: baseUrl,
        ANTHROPIC_API_KEY: apiKey,
        ANTHROPIC_MODEL: "claude-sonnet-4-6",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "2",
        CLAUDE_CONFIG_DIR: directory,
        IS_SANDBOX: "1",
      };
    },
  },
  {
    title: "codex-acp",
    version: 2,
    forks: true,
    withoutModel: (directory) => ({ CODEX_HOME: directory }),
    api: "openai-responses",
    command: [process.execPath, wrapper("acp-codex", "codex-acp")],
    tools: codexToolCalls,
    denied: { status: "cancelled", spoken: [] },
    async prepare({ baseUrl, apiKey }, directory) {
      const provider = "model_providers.scripted";
      const lines = [
        'model_provider = "scripted"',
        'model = "gpt-5.5"',
        'model_reasoning_summary = "auto"',
        "check_for_update_on_startup = false",
        "analytics.enabled = false",
        "features.plugins = false",
        "features.apps = false",
        "features.api_key_model_discovery = false",
        "features.unbounded_connection_retries = false",
        `${provider}.name = "Scripted"`,
        `${provider}.base_url = "${baseUrl}"`,
        `${provider}.wire_api = "responses"`,
        `${provider}.request_max_retries = 2`,
        `${provider}.stream_max_retries = 3`,
        `${provider}.env_key = "CODEX_AGENT_KEY"`,
      ];
      await writeFile(join(directory, "config.toml"), `${lines.join("\n")}\n`);
      return { CODEX_AGENT_KEY: apiKey, CODEX_HOME: directory };
    },
  },
  {
    title: "droid exec --output-format acp",
    version: 1,
    api: "openai-chat",
    command: [
      installed("droid", "node_modules", "@factory", `cli-${platform}`, "bin", "droid"),
      ...["exec", "--output-format", "acp"],
    ],
    tools: droidTools,
    isSlowToSpeak: true,
    encodesImages: true,
    denied: { status: "completed", spoken: [] },
    async prepare({ baseUrl, apiKey, id }, directory) {
      const model = {
        model: id,
        displayName: id,
        baseUrl,
        apiKey: `$${"{AGENT_KEY}"}`,
        provider: "generic-chat-completion-api",
        noImageSupport: false, // true by default for the user's own models
      };
      const settings = {
        cloudSessionSync: false,
        customModels: [model],
        sessionDefaultSettings: { model: `custom:${id}` },
      };
      await mkdir(join(directory, ".factory"), { recursive: true });
      await writeFile(join(directory, ".factory", "settings.json"), JSON.stringify(settings));
      const nowhere = "http://127.0.0.1:9";
      return {
        AGENT_KEY: apiKey,
        FACTORY_API_KEY: "fk-none",
        FACTORY_API_BASE_URL: nowhere,
        FACTORY_TELEMETRY_INGEST_BASE_URL: nowhere,
        OTEL_CUSTOMER_ENDPOINT: nowhere,
        OTEL_SDK_DISABLED: "true",
        FACTORY_DROID_AUTO_UPDATE_ENABLED: "false",
        FACTORY_HOME_OVERRIDE: directory,
      };
    },
  },
];

/** Returns a real agent as a runtime for the suites. The agent reads its model from its own configuration. */
export function underTest(agent: RealAgent): RuntimeUnderTest {
  return {
    createAdapter: ({ env, directory }) => realAdapter(agent, env, join(directory, "agent")),
    createHost: createLocalHost,
    apis: [agent.api],
    tools: agent.tools,
    encodesImages: agent.encodesImages === true,
  };
}

/**
 * Creates the adapter of a real agent, which reads the model of a session from its own configuration. `home` is the
 * directory of the agent's files. Defaults to a separate directory for each session.
 */
export function realAdapter(agent: RealAgent, env: ScenePaths["env"], home?: string): Adapter {
  const adapter = acpAdapter({ env });
  return {
    ...adapter,
    checkOptions() {}, // the command is not in the options of the session
    async connect({ model, ...request }) {
      const directory = home ?? join(request.stateDir, "agent");
      await mkdir(directory, { recursive: true });
      const { baseUrl = "", apiKey = "", id = "" } = model ?? {};
      const own = await agent.prepare({ baseUrl, apiKey, id }, directory);
      const all = { ...env, ...own };
      const options = {
        greetingMs: 60_000,
        command: [...agent.command],
        passEnv: Object.keys(all),
        ...request.options,
      };
      return acpAdapter({ env: all }).connect({ ...request, options });
    },
  };
}
