import type { z } from "zod";
import { HalyardError, toErrorInfo } from "../core/error.ts";
import { parseInput } from "../core/parse-input.ts";
import type { PermissionPolicy } from "../schema/permission.ts";

/** A tool as MCP knows it, before any server has it. */
export interface Tool {
  readonly name: string;
  /** For the model that decides whether to call it. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output?: z.ZodObject;
  /** `reads` changes nothing; `destroys` cannot be undone and requires `allow-all`. */
  readonly effect: "reads" | "changes" | "destroys";
  call(input: unknown): Promise<ToolAnswer>;
}

/** What a tool says: the same for programs and, as text, for models. */
export interface ToolAnswer extends Record<string, unknown> {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** What a tool is made of. */
export interface ToolParts<I extends z.ZodObject> {
  readonly description: string;
  readonly input: I;
  readonly output?: z.ZodObject;
  readonly effect: Tool["effect"];
  readonly run: (input: z.output<I>) => Promise<Record<string, unknown>>;
}

/** A tool that answers with what it did, or with what went wrong and what to do about it. */
export function defineTool<I extends z.ZodObject>(
  name: string,
  { run, ...parts }: ToolParts<I>,
): Tool {
  return {
    name,
    ...parts,
    async call(input) {
      try {
        const structuredContent = await run(parseInput(parts.input, input));
        return { content: textOf(structuredContent), structuredContent };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/**
 * Returns the tool for a client with a policy. A tool that destroys data requires `allow-all`: the stricter policies deny
 * it or ask for it, and no person answers a client of MCP.
 */
export function limitTool(tool: Tool, permissions: PermissionPolicy): Tool {
  if (tool.effect !== "destroys" || permissions === "allow-all") return tool;
  const error = new HalyardError(
    "forbidden",
    `${tool.name} deletes files, which the policy ${permissions} of this client does not allow. Start the server with --permissions allow-all to allow it.`,
  );
  return { ...tool, call: async () => failure(error) };
}

function failure(error: unknown): ToolAnswer {
  return { content: textOf({ error: toErrorInfo(error) }), isError: true };
}

function textOf(value: unknown): ToolAnswer["content"] {
  return [{ type: "text", text: JSON.stringify(value, undefined, 2) }];
}
