import { HalyardError } from "../errors/error.ts";

/** An MCP server, as clients of either ACP version send it. */
export interface NamedServer {
  readonly type?: string;
  readonly name?: unknown;
  readonly url?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly headers?: unknown;
  readonly env?: unknown;
}

/** Converts MCP servers to the session option `mcpServers`. Throws if two names are equal or a type is not supported. */
export function toMcpServers(servers: readonly NamedServer[]): Record<string, unknown> {
  const named = servers.map((server) => [nameOf(server), toServer(server)] as const);
  const all = Object.fromEntries(named);
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) < at);
  if (twice === undefined) return all;
  throw new HalyardError(
    "invalid_input",
    `Two MCP servers are named "${twice[0]}". Rename one of them.`,
  );
}

function nameOf({ name }: NamedServer): string {
  return String(name);
}

function toServer(server: NamedServer): unknown {
  const { type, url, command, args = [], headers, env } = server;
  if (type === "http" || type === "sse") return { type, url, headers: fromPairs(headers) };
  if (type === undefined || type === "stdio") return { command, args, env: fromPairs(env) };
  throw new HalyardError(
    "invalid_input",
    `MCP servers of type "${type}" are not supported. Use stdio, http or sse.`,
  );
}

function fromPairs(pairs: unknown): Record<string, string> {
  if (!Array.isArray(pairs)) return {};
  return Object.fromEntries(pairs.map(({ name, value }) => [String(name), String(value)]));
}
