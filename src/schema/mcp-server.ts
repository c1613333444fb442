import { z } from "zod";

const pairs = z.record(z.string(), z.string());

/** An MCP server for a runtime to use: a program, or one that is reached over HTTP. */
export const McpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: pairs.default({}),
  }),
  z.strictObject({
    type: z.enum(["http", "sse"]).default("http"),
    url: z.url(),
    headers: pairs.default({}),
  }),
]);
export type McpServer = z.infer<typeof McpServer>;

/** A session's own, by name: its option `mcpServers`. */
export const McpServers = z.record(z.string().min(1), McpServer);
export type McpServers = z.infer<typeof McpServers>;
