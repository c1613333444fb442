import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { parseInput } from "../../core/parse-input.ts";
import { McpServers } from "../../schema/mcp-server.ts";

/** Whether it is an ACP agent at all has to show soon. */
const GREETING_MS = 9000;

/** What only ACP agents understand of a session's options. */
export const AcpOptions = z.looseObject({
  /** The command line of the agent; as one text it is taken apart as a shell would, but no shell sees it. */
  command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]).optional(),
  /** Names of variables in Halyard's own environment that the agent may see, such as that of its key. */
  passEnv: z.array(z.string().min(1)).default([]),
  /** MCP servers for the agent to use, by name. */
  mcpServers: McpServers.default({}),
  /** The mode to put the session into, by the agent's own name for it. */
  mode: z.string().min(1).optional(),
  /** A sign-in method of the agent's to go through when the session starts. */
  authenticate: z.string().min(1).optional(),
  /** How long the program may keep silent until it shows that it is an ACP agent, in milliseconds. */
  greetingMs: z.number().positive().default(GREETING_MS),
  /** The version of ACP to ask for, where 2 is not what it should be. */
  protocolVersion: z.union([z.literal(1), z.literal(2)]).default(2),
});
export type AcpOptions = z.infer<typeof AcpOptions>;

/** How long one may take that is known to be an agent: some are slow to start. */
export const KNOWN_GREETING_MS = 30_000;

export function readOptions({ options }: Pick<ConnectRequest, "options">): AcpOptions {
  return parseInput(AcpOptions, options);
}
