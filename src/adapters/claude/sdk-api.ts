import type { Readable, Writable } from "node:stream";

/** As much of `@anthropic-ai/claude-agent-sdk` as is used here, for it need not be installed. */
export interface ClaudeSdk {
  query(parameters: { prompt: AsyncIterable<SdkUserMessage>; options: SdkOptions }): SdkQuery;
}

export interface SdkUserMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: string };
  readonly parent_tool_use_id: null;
  readonly uuid: string;
}

export interface SdkQuery extends AsyncIterable<unknown> {
  /** Resolves once Claude takes messages. */
  initializationResult(): Promise<unknown>;
  /** Ends the program and all that the SDK keeps for it. */
  close(): void;
}

/** Those that are ours to set; whatever else the SDK understands is passed on to it. */
export interface SdkOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly includePartialMessages: true;
  readonly extraArgs: Readonly<Record<string, string | null>>;
  readonly settings: string;
  readonly systemPrompt?: unknown;
  readonly model?: string;
  readonly effort?: string;
  readonly sessionId?: string;
  readonly resume?: string;
  readonly disallowedTools?: readonly string[];
  readonly pathToClaudeCodeExecutable?: string;
  canUseTool(
    name: string,
    input: Record<string, unknown>,
    options: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<Record<string, unknown>>;
  spawnClaudeCodeProcess(spawn: SdkSpawn): SdkSpawned;
}

/** What the SDK wants to have started. */
export interface SdkSpawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;
type ErrorListener = (error: Error) => void;

/** A program as the SDK holds it. */
export interface SdkSpawned {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit" | "error", listener: ExitListener | ErrorListener): void;
  once(event: "exit" | "error", listener: ExitListener | ErrorListener): void;
  off(event: "exit" | "error", listener: ExitListener | ErrorListener): void;
}
