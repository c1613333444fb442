import { z } from "zod";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import type { Projects } from "../projects/projects.ts";
import { isLooser, PermissionPolicy } from "../schema/permission.ts";

/** Dependencies of the MCP tools. */
export interface McpContext {
  /** Returns the Halyard instance, which the first call opens. Not called to list the tools. */
  halyard(): Promise<Halyard>;
  readonly projects: Projects;
  /**
   * The policy of the sessions that clients start, and the loosest policy of sessions that clients may use. Set by the
   * user who starts the server; clients cannot change it.
   */
  readonly permissions: PermissionPolicy;
  /**
   * True to let the client answer the requests of sessions that it started. If false, the policy `ask` denies these
   * requests, because a client that is itself an agent could otherwise approve everything.
   */
  readonly answers: boolean;
  /** The machines that do not respond, each with the reason. Their sessions are not listed. Defaults to none. */
  readonly unreachable?: ReadonlyMap<string, string>;
  /**
   * The value of the label `mcp` of sessions that clients start. Set if connections contain no identity: clients with the
   * same value then share the sessions. If omitted, the server has one client.
   */
  readonly client?: string;
  now(): Date;
  /** The working directory of the server, in which sessions without a project run. */
  readonly directory: string;
}

const Policy = z.strictObject({
  permissions: PermissionPolicy.optional(),
  answers: z.stringbool().optional(),
});

/**
 * Returns the context with the policy from a URL's query. Throws `invalid_input` if the query is malformed, and
 * `forbidden` if it allows more than the server.
 */
export function policyOf(context: McpContext, query: URLSearchParams): McpContext {
  const given = parseInput(Policy, Object.fromEntries(query));
  const { permissions = context.permissions, answers = context.answers } = given;
  if (isLooser(permissions, context.permissions))
    throw new HalyardError(
      "forbidden",
      `The policy ${permissions} is looser than ${context.permissions}, this server's policy for MCP clients. Remove permissions from the URL, or start "halyard serve" with --mcp-permissions ${permissions}.`,
    );
  if (answers && !context.answers)
    throw new HalyardError(
      "forbidden",
      'This server does not let MCP clients answer requests. Remove answers from the URL, or start "halyard serve" with --mcp-answers.',
    );
  return { ...context, permissions, answers };
}
