import type { z } from "zod";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { CallContext } from "./call-context.ts";

/** An MCP tool, independent of a server. */
export interface Tool {
  readonly name: string;
  /** The description for the model that decides whether to call the tool. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output?: z.ZodObject;
  /** The effect of the tool. `reads` changes nothing; `destroys` cannot be undone and requires `allow-all`. */
  readonly effect: "reads" | "changes" | "destroys";
  call(input: unknown, call: CallContext): Promise<ToolResponse>;
}

/** The response of a tool: structured data for programs, and text for models. */
export interface ToolResponse extends Record<string, unknown> {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The parts from which `defineTool` creates a tool. */
export interface ToolDefinition<I extends z.ZodObject, R extends Record<string, unknown>> {
  readonly description: string;
  readonly input: I;
  readonly output?: z.ZodObject;
  readonly effect: Tool["effect"];
  readonly run: (input: z.output<I>, call: CallContext) => Promise<R>;
  /** Returns a response of another kind, such as a task, or undefined for the default response. */
  readonly respond?: (result: R, call: CallContext) => Promise<ToolResponse | undefined>;
}

/** Creates a tool that responds with its result, or with an error that states what to do next. */
export function defineTool<I extends z.ZodObject, R extends Record<string, unknown>>(
  name: string,
  { run, respond, ...parts }: ToolDefinition<I, R>,
): Tool {
  return {
    name,
    ...parts,
    async call(input, call) {
      try {
        const structuredContent = await run(parseInput(parts.input, input), call);
        const response = await respond?.(structuredContent, call);
        if (response) return response;
        return { content: textOf(structuredContent), structuredContent };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/**
 * Returns the tool for a client with a policy. A tool that destroys data requires `allow-all`: stricter policies deny
 * it or ask a user, and an MCP client has no user who can answer.
 */
export function limitTool(tool: Tool, permissions: PermissionPolicy): Tool {
  if (tool.effect !== "destroys" || permissions === "allow-all") return tool;
  const error = new HalyardError(
    "forbidden",
    `${tool.name} deletes files, which this client's policy, ${permissions}, does not allow. To allow it, start "halyard mcp" with --permissions allow-all, or "halyard serve" with --mcp-permissions allow-all.`,
  );
  return { ...tool, call: async () => failure(error) };
}

function failure(error: unknown): ToolResponse {
  return { content: textOf({ error: toErrorInfo(error) }), isError: true };
}

function textOf(value: unknown): ToolResponse["content"] {
  return [{ type: "text", text: JSON.stringify(value, undefined, 2) }];
}
