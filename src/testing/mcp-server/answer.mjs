/** The one tool that the servers for tests have, and what it answers. */
export const TOOL = "fathom";
export const ANSWER = "forty-two fathoms";

const tool = { name: TOOL, description: "measures depth", inputSchema: { type: "object" } };
const serverInfo = { name: "depths", version: "1.0.0" };

/**
 * What an MCP server says to a message; nothing to one that wants no answer.
 * @param {{ id?: unknown, method?: string, params?: { protocolVersion?: string } }} message
 * @returns {Record<string, unknown> | undefined}
 */
export function answerTo({ id, method, params }) {
  if (id === undefined || method === undefined) return undefined;
  const result = resultOf(method, params);
  if (result) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `there is no ${method}` } };
}

/**
 * @param {string} method
 * @param {{ protocolVersion?: string } | undefined} params
 */
function resultOf(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo,
      };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return { content: [{ type: "text", text: ANSWER }] };
    case "ping":
      return {};
  }
  return undefined;
}
