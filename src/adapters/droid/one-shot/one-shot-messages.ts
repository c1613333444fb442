import { z } from "zod";
import { count, flag, words } from "../../../adapter-kit/message-fields.ts";

const usage = z
  .looseObject({
    input_tokens: z.int().nonnegative(),
    output_tokens: z.int().nonnegative(),
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  })
  .optional()
  .catch(undefined);
export type OneShotUsage = z.infer<typeof usage>;

/** Messages of `droid exec -o stream-json` and `-o json`, reduced to the fields that are read. */
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
    isError: flag,
    value: z.unknown().optional(),
    error: z.looseObject({ message: z.string() }).optional().catch(undefined),
  }),
  z.looseObject({
    type: z.literal("error"),
    source: words,
    message: z.string().catch("Droid reported an error without a message"),
    session_id: z.string(),
  }),
  z.looseObject({ type: z.literal("completion"), usage }),
  /** The only message of `-o json`. */
  z.looseObject({
    type: z.literal("result"),
    is_error: flag,
    result: words,
    session_id: z.string().catch("unknown"),
    usage,
  }),
]);
export type OneShotMessage = z.infer<typeof OneShotMessage>;
