import { z } from "zod";
import { ErrorInfo } from "./error.ts";

/**
 * How a message is delivered while a turn runs: the message waits in the queue, joins the turn (`steer`), or cancels
 * the turn first.
 */
export const Delivery = z.enum(["queue", "steer", "interrupt"]);
export type Delivery = z.infer<typeof Delivery>;

/**
 * The status of a message. `queued`: the message is stored and waits for its turn. `submitted`: the runtime received the
 * message. `confirmed`: the runtime reported that it processes the message. `failed`: the message was not delivered.
 */
export const Receipt = z.discriminatedUnion("status", [
  z.strictObject({
    /** The last step of the delivery that succeeded. */
    status: z.enum(["queued", "submitted", "confirmed"]),
  }),
  z.strictObject({
    /** The message was not delivered. */
    status: z.literal("failed"),
    /** Why the delivery failed. */
    error: ErrorInfo,
  }),
]);
export type Receipt = z.infer<typeof Receipt>;
