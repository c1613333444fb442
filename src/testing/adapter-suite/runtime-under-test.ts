import type { Adapter } from "../../contracts/adapter.ts";
import type { Host } from "../../contracts/host.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { ModelToolCall } from "../script.ts";

/** The adapter under test, the tool calls that the scripted model makes, and the known limits of the runtime. */
export interface RuntimeUnderTest {
  createAdapter(context: { env: Record<string, string>; directory: string }): Adapter;
  createHost(context: { directory: string }): Host;
  /** The model APIs that the runtime supports. Tests use the first one by default. */
  readonly apis: readonly [ModelApi, ...ModelApi[]];
  /** True if the runtime re-encodes images, so that the model receives different bytes for the same picture. */
  readonly encodesImages?: boolean;
  readonly tools: {
    write(path: string, content: string): ModelToolCall;
    shell(command: string): ModelToolCall;
    /** Replaces text in a file. Set if the runtime reports the diff of an edit. */
    edit?(path: string, from: string, to: string): ModelToolCall;
    /** Calls an MCP tool. Set if the scripted model can call one. */
    mcp?(server: string, tool: string): ModelToolCall;
    /** The runtime's name for the write tool, if it differs from the name that the model uses. */
    readonly writeName?: string;
  };
  /** The HTTP status of a model failure whose message the runtime reports after its retries. Defaults to 500. */
  readonly failingStatus?: number;
  /** The maximum length of a message in characters. Defaults to no limit. */
  readonly longestMessage?: number;
  /** True if the runtime reads keystrokes, and its input line does not keep whitespace such as U+2028. */
  readonly normalizesWhitespace?: true;
  /** True if the runtime does not support MCP servers over SSE. */
  readonly missesSse?: true;
  /** True if the runtime does not report MCP server failures. */
  readonly missesServerFailures?: true;
  /** True if the runtime does not report that the model truncated a message. */
  readonly missesMaxTokens?: true;
  /** The minimum length of a conversation that the runtime compacts, in characters. Defaults to 0. */
  readonly compactsFrom?: number;
  /** False if the runtime lists models only for a user who is signed in. Defaults to true. */
  readonly listsModels?: false;
}
