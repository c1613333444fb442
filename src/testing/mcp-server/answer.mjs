/** The name of the tool that returns `ANSWER`. */
export const TOOL = "fathom";
/** The result of `TOOL`. */
export const ANSWER = "forty-two fathoms";
/** The name of a tool that always fails. */
export const FAILING_TOOL = "sink";

const tools = [TOOL, FAILING_TOOL].map((name) => ({
  name,
  description: `to ${name}`,
  inputSchema: { type: "object" },
}));
const serverInfo = { name: "depths", version: "1.0.0" };

/** @typedef {{ protocolVersion?: string, name?: string }} Params */

/**
 * Returns the response to a request, or undefined if the message is not a request.
 * @param {{ id?: unknown, method?: string, params?: Params }} message
 * @returns {Record<string, unknown> | undefined}
 */
export function answerTo({ id, method, params }) {
  if (id === undefined || method === undefined) return undefined;
  const result = resultOf(method, params);
  if (result) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `method ${method} not found` } };
}

/**
 * @param {string} method
 * @param {Params | undefined} params
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
      return { tools };
    case "tools/call":
      return params?.name === FAILING_TOOL
        ? { isError: true, content: [{ type: "text", text: "it does not" }] }
        : { content: [{ type: "text", text: ANSWER }] };
    case "ping":
      return {};
  }
  return undefined;
}
