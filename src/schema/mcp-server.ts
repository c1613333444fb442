import { z } from "zod";

const pairs = z.record(z.string(), z.string());

/** An MCP server for a runtime: a program, or a server that is reached over HTTP. */
export const McpServer = z.union([
  z.strictObject({
    /** The program of the server. */
    command: z.string().min(1),
    /** The arguments of the program. */
    args: z.array(z.string()).default([]),
    /** Variables that are added to the program's environment. */
    env: pairs.default({}),
  }),
  z.strictObject({
    /** The transport. */
    type: z.enum(["http", "sse"]).default("http"),
    /** The address of the server. */
    url: z.url(),
    /** Headers of each request. */
    headers: pairs.default({}),
  }),
]);
export type McpServer = z.infer<typeof McpServer>;

/** The MCP servers of a session by name, from the session's option `mcpServers`. */
export const McpServers = z.record(z.string().min(1), McpServer);
export type McpServers = z.infer<typeof McpServers>;
