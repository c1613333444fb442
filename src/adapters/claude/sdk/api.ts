import type { Readable, Writable } from "node:stream";
import type { UserContent } from "../driver.ts";

/** The part of `@anthropic-ai/claude-agent-sdk` that Halyard uses. The package is an optional dependency. */
export interface ClaudeSdk {
  query(parameters: { prompt: AsyncIterable<SdkUserMessage>; options: SdkOptions }): SdkQuery;
}

/** A user message in the SDK's format. */
export interface SdkUserMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: UserContent };
  readonly parent_tool_use_id: null;
  readonly uuid: string;
}

/** A running SDK conversation. */
export interface SdkQuery extends AsyncIterable<unknown> {
  /** Resolves once Claude accepts messages. */
  initializationResult(): Promise<unknown>;
  /** Stops the program and releases the SDK's resources. */
  close(): void;
}

/** The options that Halyard sets. All other SDK options are passed through. */
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

/** The command that the SDK wants to start. */
export interface SdkSpawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;
type ErrorListener = (error: Error) => void;

/** The SDK's view of a child process. */
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
