import { z } from "zod";

const count = z.number().int().nonnegative();

const usage = z
  .looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count.optional(),
    cache_creation_input_tokens: count.optional(),
  })
  .optional();
export type OneShotUsage = z.infer<typeof usage>;

/** What `droid exec -o stream-json` and `-o json` say: only what is read. */
export const OneShotMessage = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("system"),
    subtype: z.literal("init"),
    session_id: z.string(),
  }),
  z.looseObject({
    type: z.literal("message"),
    role: z.string(),
    id: z.string(),
    text: z.string(),
  }),
  z.looseObject({ type: z.literal("reasoning"), id: z.string(), text: z.string() }),
  z.looseObject({
    type: z.literal("tool_call"),
    id: z.string(),
    toolName: z.string(),
    parameters: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    id: z.string(),
    isError: z.boolean().optional(),
    value: z.unknown().optional(),
    error: z.looseObject({ message: z.string() }).optional(),
  }),
  z.looseObject({
    type: z.literal("error"),
    source: z.string().optional(),
    message: z.string(),
    session_id: z.string(),
  }),
  z.looseObject({ type: z.literal("completion"), finalText: z.string(), usage }),
  /** All there is in `-o json`. */
  z.looseObject({
    type: z.literal("result"),
    is_error: z.boolean(),
    result: z.string(),
    session_id: z.string(),
    usage,
  }),
]);
export type OneShotMessage = z.infer<typeof OneShotMessage>;
