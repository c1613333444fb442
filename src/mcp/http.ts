import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { type McpContext, policyOf } from "./context.ts";
import { McpSession } from "./mcp-session.ts";
import type { McpSdk } from "./sdk.ts";
import { createMcpServer, mcpTools } from "./serve.ts";

export interface McpEndpointOptions {
  readonly version: string;
  /** The maximum size of a request body, in bytes. */
  readonly maxBytes: number;
  readonly onFault: (error: unknown) => void;
}

/**
 * Serves the tools over streamable HTTP. The caller must authorize requests first. Requests are stateless: the URL
 * contains the policy, and a label marks sessions that clients start over HTTP.
 */
export class McpEndpoint {
  readonly #sdk: McpSdk;
  readonly #context: McpContext;
  readonly #options: McpEndpointOptions;
  /** The handlers, by the policy of their clients. */
  readonly #handlers = new Map<string, McpHttpHandler>();
  #running = 0;

  constructor(sdk: McpSdk, context: McpContext, options: McpEndpointOptions) {
    this.#sdk = sdk;
    this.#context = { ...context, client: "http" };
    this.#options = options;
  }

  /** The number of requests in progress. */
  get connections(): number {
    return this.#running;
  }

  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const context = policyOf(this.#context, searchParams);
    this.#running += 1;
    try {
      return await this.#handler(context).fetch(request);
    } finally {
      this.#running -= 1;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close()));
  }

  #handler(context: McpContext): McpHttpHandler {
    const key = `${context.permissions} ${context.answers}`;
    const known = this.#handlers.get(key);
    if (known) return known;
    const session = new McpSession(context);
    const tools = mcpTools(session);
    const { version, maxBytes, onFault } = this.#options;
    const handler = this.#sdk.createMcpHandler(
      () => createMcpServer(this.#sdk, tools, { version, session }),
      { maxRequestBodySize: maxBytes, onerror: onFault },
    );
    this.#handlers.set(key, handler);
    return handler;
  }
}
