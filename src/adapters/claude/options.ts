import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { parseInput } from "../../core/parse-input.ts";
import { McpServers } from "../../schema/mcp-server.ts";

/** What only Claude Code understands of a session's options. */
export const ClaudeOptions = z.looseObject({
  /** The program to run, by its path or its name on the PATH. */
  bin: z.string().min(1).optional(),
  /** Settings of this session, hooks too: what a `settings.json` of Claude Code holds. */
  settings: z.record(z.string(), z.unknown()).optional(),
  mcpServers: McpServers.default({}),
});
export type ClaudeOptions = z.infer<typeof ClaudeOptions>;

export function claudeOptions({ options }: Pick<ConnectRequest, "options">): ClaudeOptions {
  return parseInput(ClaudeOptions, options);
}
