import { z } from "zod";

/** What a mapper has to be told that no event says. */
export const OurMessage = z.discriminatedUnion("type", [
  /** A message is about to be sent; what came before it ends with that message. */
  z.strictObject({ type: z.literal("halyard.sent"), after: z.string().optional() }),
  /** Nothing came for a while after OpenCode said it was idle. */
  z.strictObject({ type: z.literal("halyard.settled") }),
  /** Somebody wants the turn to end. */
  z.strictObject({ type: z.literal("halyard.cancelled") }),
  /** The turn is made to end, for this reason. */
  z.strictObject({ type: z.literal("halyard.given-up"), reason: z.string() }),
  /** A message was sent into the turn. */
  z.strictObject({ type: z.literal("halyard.steered") }),
  /** Events may have been missed before this point. */
  z.strictObject({ type: z.literal("halyard.gap") }),
  /** OpenCode itself has ended. */
  z.strictObject({ type: z.literal("halyard.gone"), reason: z.string() }),
]);
export type OurMessage = z.infer<typeof OurMessage>;
