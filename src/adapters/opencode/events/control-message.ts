import { z } from "zod";

/** Messages from the connection to the mapper. They are recorded with the events. */
export const ControlMessage = z.discriminatedUnion("type", [
  /** A message is being sent. `after` is the id of the session's last message before it. Absent if there is none. */
  z.strictObject({ type: z.literal("halyard.sent"), after: z.string().optional() }),
  /** OpenCode is idle, and no more events of the turn are expected. */
  z.strictObject({ type: z.literal("halyard.settled") }),
  /** The user cancelled the turn. */
  z.strictObject({ type: z.literal("halyard.cancelled") }),
  /** Halyard aborts the turn after too many retries. `reason` is the last error of the model. */
  z.strictObject({ type: z.literal("halyard.given-up"), reason: z.string() }),
  /** A message is being added to the turn. */
  z.strictObject({ type: z.literal("halyard.steered") }),
  /** Events before this point may be missing. */
  z.strictObject({ type: z.literal("halyard.gap") }),
  /** The OpenCode server has exited. */
  z.strictObject({ type: z.literal("halyard.gone"), reason: z.string() }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;
