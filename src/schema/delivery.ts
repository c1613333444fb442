import { z } from "zod";
import { ErrorInfo } from "./error.ts";

/** How a message meets a turn that is under way: wait for its end, go into it, or end it first. */
export const Delivery = z.enum(["queue", "steer", "interrupt"]);
export type Delivery = z.infer<typeof Delivery>;

/**
 * What is known of a message's delivery. `queued`: kept, and waiting for its turn. `submitted`: the runtime has it.
 * `confirmed`: the runtime showed that it works on it. `failed`: it never got there, for the reason given.
 */
export const Receipt = z.discriminatedUnion("status", [
  z.strictObject({
    /** How far the message got. */
    status: z.enum(["queued", "submitted", "confirmed"]),
  }),
  z.strictObject({
    /** The runtime never received the message. */
    status: z.literal("failed"),
    /** Why it did not. */
    error: ErrorInfo,
  }),
]);
export type Receipt = z.infer<typeof Receipt>;
