import type { Adapter } from "../../core/adapter.ts";
import type { Host } from "../../core/host.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { ModelToolCall } from "../script.ts";

/** A runtime's adapter, and how its model uses its tools. */
export interface RuntimeUnderTest {
  createAdapter(context: { env: Record<string, string>; directory: string }): Adapter;
  createHost(context: { directory: string }): Host;
  /** The wire protocols it takes a model over; the first is used where it does not matter. */
  readonly apis: readonly [ModelApi, ...ModelApi[]];
  readonly tools: {
    write(path: string, content: string): ModelToolCall;
    shell(command: string): ModelToolCall;
    /** Where the runtime tells what was changed. */
    edit?(path: string, from: string, to: string): ModelToolCall;
    /** A tool of an MCP server's, where the scripted model can call one. */
    mcp?(server: string, tool: string): ModelToolCall;
    /** What the runtime calls the one that writes, where its model calls it by another name. */
    readonly writeName?: string;
  };
  /** The status of a failing model whose words get through to the user; 500 unless said otherwise. */
  readonly failingStatus?: number;
  /** How many characters it takes at once, where there is a limit. */
  readonly longestMessage?: number;
  /** It is typed to, and its input line makes line breaks and spaces of other blanks. */
  readonly tidiesBlanks?: true;
  /** It takes no MCP servers over SSE. */
  readonly missesSse?: true;
  /** It does not tell us what became of its MCP servers. */
  readonly missesServerFailures?: true;
  /** The scripted model has no way to tell it that an answer breaks off. */
  readonly missesMaxTokens?: true;
}
