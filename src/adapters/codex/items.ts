import { z } from "zod";

const id = z.string();
const status = z.string();
const text = z.string().nullish();

/** One file of a patch: `diff` is the whole text for a file added or deleted, hunks without a header otherwise. */
export const FileChange = z.looseObject({
  path: z.string(),
  kind: z.union([z.string(), z.looseObject({ type: z.string(), move_path: z.string().nullish() })]),
  diff: z.string().optional(),
});
export type FileChange = z.infer<typeof FileChange>;

/** What the model says and thinks. */
const spoken = [
  z.looseObject({ type: z.literal("agentMessage"), id, text: z.string() }),
  z.looseObject({ type: z.literal("plan"), id, text: z.string() }),
  z.looseObject({
    type: z.literal("reasoning"),
    id,
    summary: z.array(z.string()).default([]),
    content: z.array(z.string()).default([]),
  }),
] as const;

const tools = [
  z.looseObject({
    type: z.literal("commandExecution"),
    id,
    command: z.string(),
    cwd: text,
    status,
    aggregatedOutput: text,
    exitCode: z.number().int().nullish(),
  }),
  z.looseObject({ type: z.literal("fileChange"), id, changes: z.array(FileChange), status }),
  z.looseObject({
    type: z.literal("mcpToolCall"),
    id,
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
    status,
    result: z.looseObject({ content: z.array(z.unknown()) }).nullish(),
    error: z.looseObject({ message: z.string() }).nullish(),
  }),
  z.looseObject({
    type: z.literal("dynamicToolCall"),
    id,
    tool: z.string(),
    arguments: z.unknown().optional(),
    status: status.optional(),
    contentItems: z.array(z.unknown()).nullish(),
    success: z.boolean().nullish(),
  }),
  z.looseObject({
    type: z.literal("collabAgentToolCall"),
    id,
    tool: z.string(),
    status,
    prompt: text,
    receiverThreadIds: z.array(z.string()).default([]),
    agentsStates: z
      .record(z.string(), z.looseObject({ status: z.string(), message: text }))
      .default({}),
  }),
  z.looseObject({
    type: z.literal("webSearch"),
    id,
    query: text,
    action: z.looseObject({ type: z.string(), url: text }).nullish(),
  }),
  z.looseObject({ type: z.literal("imageView"), id, path: z.string() }),
  z.looseObject({
    type: z.literal("imageGeneration"),
    id,
    status: status.optional(),
    revisedPrompt: text,
    savedPath: text,
  }),
  z.looseObject({ type: z.literal("sleep"), id, durationMs: z.number().optional() }),
] as const;

export type SpokenItem = z.infer<(typeof spoken)[number]>;

/** What Codex does by a tool. */
export const ToolItem = z.discriminatedUnion("type", tools);
export type ToolItem = z.infer<typeof ToolItem>;

/** What Codex lists as part of a turn, as far as we read it. */
export const Item = z.discriminatedUnion("type", [
  ...spoken,
  ...tools,
  z.looseObject({ type: z.literal("userMessage"), id }),
  z.looseObject({ type: z.literal("hookPrompt"), id }),
  z.looseObject({ type: z.literal("contextCompaction"), id }),
  z.looseObject({
    type: z.literal("subAgentActivity"),
    id,
    kind: z.string(),
    agentThreadId: z.string(),
    agentPath: text,
  }),
  z.looseObject({ type: z.literal("enteredReviewMode"), id, review: z.string() }),
  z.looseObject({ type: z.literal("exitedReviewMode"), id, review: z.string() }),
]);
export type Item = z.infer<typeof Item>;

export function isSpoken(item: Item): item is SpokenItem {
  return item.type === "agentMessage" || item.type === "plan" || item.type === "reasoning";
}
