import { Delivery } from "../schema/delivery.ts";
import { Milliseconds } from "../schema/start-request.ts";
import type { SendOptions } from "./halyard.ts";

export type MessageOptions = {
  [Key in "delivery" | "timeoutMs"]-?: NonNullable<SendOptions[Key]>;
};

/** Why a message cannot be sent like that, also by whoever does not write TypeScript; undefined where it can. */
export function messageProblem(
  text: unknown,
  { delivery, timeoutMs }: MessageOptions,
): string | undefined {
  if (typeof text !== "string") return "the message is not a text";
  if (text.trim() === "") return "the message is empty";
  if (!Delivery.safeParse(delivery).success)
    return `delivery: ${delivery} is none of ${Delivery.options.join(", ")}`;
  if (!Milliseconds.safeParse(timeoutMs).success)
    return `timeoutMs: no timer can be set for ${timeoutMs}; 24 days are the most, 0 is no limit`;
  return undefined;
}
