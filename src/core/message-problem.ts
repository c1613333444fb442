import { Delivery } from "../schema/delivery.ts";
import { TurnId } from "../schema/id.ts";
import { Milliseconds } from "../schema/start-request.ts";
import type { SendOptions } from "./halyard.ts";

export type MessageOptions = Required<Pick<SendOptions, "id" | "delivery" | "timeoutMs">>;

/** Why a message cannot be sent like that, also by whoever does not write TypeScript; undefined where it can. */
export function messageProblem(
  text: unknown,
  { id, delivery, timeoutMs }: MessageOptions,
): string | undefined {
  if (typeof text !== "string") return "the message is not a text";
  if (text.trim() === "") return "the message is empty";
  if (!TurnId.safeParse(id).success)
    return `id: ${id} is not the id of a turn, which is trn_ and sixteen letters or digits`;
  if (!Delivery.safeParse(delivery).success)
    return `delivery: ${delivery} is none of ${Delivery.options.join(", ")}`;
  if (!Milliseconds.safeParse(timeoutMs).success)
    return `timeoutMs: no timer can be set for ${timeoutMs}; 24 days are the most, 0 is no limit`;
  return undefined;
}
