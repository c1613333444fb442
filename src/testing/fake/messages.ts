import { z } from "zod";
import type { ImageContent } from "../../contracts/adapter.ts";
import type { Answer } from "../../schema/permission.ts";

const TokenCount = z.looseObject({ input: z.int(), output: z.int() });

const textFields = { messageId: z.string(), text: z.string() };

/** The agent's reply to a message. */
export const Reply = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("ready"), sessionId: z.string(), resumable: z.boolean() }),
  z.looseObject({ type: z.literal("no_session"), sessionId: z.string() }),
  z.looseObject({ type: z.literal("accepted"), id: z.string() }),
  z.looseObject({ type: z.literal("refused"), id: z.string(), reason: z.string() }),
  z.looseObject({ type: z.literal("commands"), id: z.string(), names: z.array(z.string()) }),
]);
export type Reply = z.infer<typeof Reply>;

/** A message from the agent. */
export const AgentMessage = z.discriminatedUnion("type", [
  Reply,
  z.looseObject({ type: z.literal("saved"), sessionId: z.string() }),
  z.looseObject({ type: z.literal("text"), ...textFields }),
  z.looseObject({ type: z.literal("thinking"), ...textFields }),
  z.looseObject({
    type: z.literal("message"),
    channel: z.enum(["text", "thinking"]),
    ...textFields,
  }),
  z.looseObject({
    type: z.literal("tool"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z.looseObject({
    type: z.literal("tool_end"),
    id: z.string(),
    output: z.string(),
    isError: z.boolean(),
    exitCode: z.int().optional(),
  }),
  z.looseObject({
    type: z.literal("ask"),
    id: z.string(),
    kind: z.enum(["permission", "question"]),
    text: z.string(),
    tool: z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() }).optional(),
    options: z
      .array(z.object({ id: z.string(), label: z.string(), decision: z.enum(["allow", "deny"]) }))
      .default([]),
  }),
  z.looseObject({ type: z.literal("compacted") }),
  z.looseObject({ type: z.literal("retry"), reason: z.string() }),
  z.looseObject({ type: z.literal("usage"), usage: TokenCount }),
  z.looseObject({
    type: z.literal("done"),
    status: z.enum(["completed", "cancelled", "failed"]),
    usage: TokenCount,
    error: z.string().optional(),
  }),
]);
export type AgentMessage = z.infer<typeof AgentMessage>;

/** A message to the agent. */
export type ClientMessage =
  | { readonly type: "hello" | "cancel" }
  | { readonly type: "compact" | "commands"; readonly id: string }
  | { readonly type: "set"; readonly id: string; readonly flags: Readonly<Record<string, unknown>> }
  | {
      readonly type: "prompt" | "steer";
      readonly id: string;
      readonly text: string;
      readonly images: readonly ImageContent[];
    }
  | ({ readonly type: "answer"; readonly id: string } & Answer);
