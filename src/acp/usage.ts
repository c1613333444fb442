import { z } from "zod";
import type { StreamEvent } from "../schema/event.ts";
import type { Telling } from "./telling.ts";

const Context = z.looseObject({
  contextUsed: z.number().int().nonnegative(),
  contextSize: z.number().int().positive(),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
});

/** How full the model's memory is, where the runtime tells. */
export function usageOf({ data }: Extract<StreamEvent, { type: "system" }>): Telling[] {
  const told = Context.safeParse(data).data;
  if (told === undefined) return [];
  const { contextUsed: used, contextSize: size, cost } = told;
  return [{ type: "usage", usage: { used, size, ...(cost && { cost }) } }];
}
