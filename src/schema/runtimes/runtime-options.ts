import { z } from "zod";
import { McpServers } from "../mcp-server.ts";
import { ModelEndpoint } from "../model.ts";

const program = z.string().min(1);

/** Options of runtimes that use ACP. */
export const AcpOptions = z.object({
  /** The command line of the agent. A string is split as a shell would split it, but without a shell. */
  command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]).optional(),
  /**
   * The address of a remote agent: `wss://host/acp`, or `ws://127.0.0.1:4747/acp` on this machine. Its token is read from the
   * variable `ACP_TOKEN`.
   */
  url: z
    .url({
      protocol: /^(wss?|https?)$/,
      error: "expected a URL that begins with wss://, ws://, https:// or http://",
    })
    .optional(),
  /** Names of environment variables to pass from Halyard to the agent, such as the variable that contains its API key. */
  passEnv: z.array(z.string().min(1)).default([]),
  /** MCP servers for the agent, by name. */
  mcpServers: McpServers.default({}),
  /** The session mode, as the agent names it. */
  mode: z.string().min(1).optional(),
  /** Directories that the agent may use in addition to the working directory, as absolute paths. */
  additionalDirectories: z
    .array(z.string().startsWith("/", "expected an absolute path"))
    .default([]),
  /** The agent's sign-in method to use when the session starts. */
  authenticate: z.string().min(1).optional(),
  /** The time limit for the program's first ACP message, in milliseconds. */
  greetingMs: z.number().positive().default(9000),
  /** The version of ACP to request. */
  protocolVersion: z.union([z.literal(1), z.literal(2)]).default(2),
});
export type AcpOptions = z.input<typeof AcpOptions>;

/** Options of Claude Code. */
export const ClaudeOptions = z.object({
  /** The program to run, as a path or as a name on the PATH. */
  bin: program.optional(),
  /** Claude Code settings for this session, including hooks, in the format of `settings.json`. */
  settings: z.record(z.string(), z.unknown()).optional(),
  /** MCP servers for the agent, by name. */
  mcpServers: McpServers.default({}),
});
export type ClaudeOptions = z.input<typeof ClaudeOptions>;

/** Options of the Claude Agent SDK. */
export const CcsdkOptions = ClaudeOptions.extend({
  /** Options of the SDK itself. Options that are not listed here are passed to the SDK unchanged. */
  ccsdkOptions: z
    .looseObject({
      /** False to run no hooks, including the user's hooks. Defaults to true. */
      hooksEnabled: z.boolean().optional(),
      /** Claude Code settings for this session, in the format of `settings.json`. */
      settings: z.record(z.string(), z.unknown()).optional(),
      /** Tools that the agent may not use. */
      disallowedTools: z.array(z.string()).optional(),
      /** Additional command-line arguments. */
      extraArgs: z.record(z.string(), z.string().nullable()).optional(),
      /** MCP servers in the SDK's format, which can include in-process server objects. */
      mcpServers: z.record(z.string(), z.unknown()).optional(),
    })
    .default({}),
});
export type CcsdkOptions = z.input<typeof CcsdkOptions>;

/** Options of Codex. */
export const CodexOptions = z.object({
  /** The program to run, as a path or as a name on the PATH. */
  bin: program.optional(),
  /** Codex settings for this session, such as `model_verbosity`. */
  config: z.record(z.string(), z.unknown()).default({}),
  /** MCP servers for the agent, by name. */
  mcpServers: McpServers.default({}),
});
export type CodexOptions = z.input<typeof CodexOptions>;

/** A model in Droid's own model list. */
export const ListedModel = ModelEndpoint.extend({
  /** The display name. */
  displayName: z.string().optional(),
  /** The maximum number of tokens in an answer. */
  maxOutputTokens: z.number().int().positive().optional(),
});
export type ListedModel = z.infer<typeof ListedModel>;

/** Options of Droid. */
export const DroidOptions = z.object({
  /** The program to run, as a path or as a name on the PATH. */
  bin: program.optional(),
  /** The API key of a Factory account. */
  factoryApiKey: z.string().min(1).optional(),
  /** Models that Droid lists in addition to the session's model. The session's model is selected. */
  models: z.array(ListedModel).default([]),
  /** MCP servers for the agent, by name. */
  mcpServers: McpServers.default({}),
});
export type DroidOptions = z.input<typeof DroidOptions>;

/** Options of OpenCode. */
export const OpenCodeOptions = z.object({
  /** The program to run, as a path or as a name on the PATH. */
  bin: program.optional(),
  /** The OpenCode agent that runs the turns. Defaults to `build`. */
  agent: z.string().optional(),
  /** True to send each message with an HTTP call that returns at the end of the turn. Defaults to false. */
  blocking: z.boolean().optional(),
  /** Sessions with the same project share a server. Defaults to the repository that contains the working directory. */
  project: z.string().optional(),
  /** How often OpenCode retries a model call. Defaults to 2. */
  retries: z.number().optional(),
  /** MCP servers for the agent, by name. */
  mcpServers: McpServers.default({}),
});
export type OpenCodeOptions = z.input<typeof OpenCodeOptions>;

/** Options of Pi. */
export const PiOptions = z.object({
  /** The file in which Pi records the session. If the file exists, Pi continues from it. */
  sessionFile: z.string().min(1).optional(),
  /**
   * The model provider, if the model has no endpoint. Defaults to the provider in the model name, otherwise to the only
   * provider that has a key.
   */
  provider: z.string().min(1).optional(),
});
export type PiOptions = z.input<typeof PiOptions>;

/** Agents that use ACP and have their own name. */
export type AcpAgent =
  | "amp"
  | "auggie"
  | "claude-acp"
  | "cline"
  | "codebuddy"
  | "codex-acp"
  | "copilot"
  | "cursor"
  | "devin"
  | "gemini"
  | "goose"
  | "grok"
  | "iflow"
  | "junie"
  | "kilo"
  | "kimi"
  | "kiro"
  | "qoder"
  | "qwen"
  | "vibe";

/** The options of each runtime that Halyard knows, by the name of the runtime. */
export interface RuntimeOptions extends Record<AcpAgent, AcpOptions> {
  acp: AcpOptions;
  ccsdk: CcsdkOptions;
  claude: ClaudeOptions;
  codex: CodexOptions;
  droid: DroidOptions;
  opencode: OpenCodeOptions;
  pi: PiOptions;
}

/** The type of `StartRequest.options` for a runtime. A runtime that is not built in accepts any options. */
export type OptionsOf<Runtime extends string> = [Runtime] extends [keyof RuntimeOptions]
  ? RuntimeOptions[Runtime]
  : Record<string, unknown>;
