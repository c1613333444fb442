/** The official SDK, which is an optional peer: whoever serves MCP brings it along. */
export interface McpSdk {
  readonly McpServer: typeof import("@modelcontextprotocol/server").McpServer;
  readonly serveStdio: typeof import("@modelcontextprotocol/server/stdio").serveStdio;
  readonly StdioServerTransport: typeof import("@modelcontextprotocol/server/stdio").StdioServerTransport;
}
