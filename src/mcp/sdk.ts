/** The official MCP SDK, an optional peer dependency that the caller passes in. */
export interface McpSdk {
  readonly McpServer: typeof import("@modelcontextprotocol/server").McpServer;
  readonly createMcpHandler: typeof import("@modelcontextprotocol/server").createMcpHandler;
  readonly ProtocolError: typeof import("@modelcontextprotocol/server").ProtocolError;
  readonly serveStdio: typeof import("@modelcontextprotocol/server/stdio").serveStdio;
  readonly StdioServerTransport: typeof import("@modelcontextprotocol/server/stdio").StdioServerTransport;
}
