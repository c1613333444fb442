import { z } from "zod";
import type { StreamEvent } from "../../schema/event.ts";
import type { AgentUpdate } from "./agent-update.ts";

const Context = z.looseObject({
  contextUsed: z.number().int().nonnegative(),
  contextSize: z.number().int().positive(),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
});

/** Maps the context usage of the model, if the runtime reports it. */
export function usageOf({ data }: Extract<StreamEvent, { type: "system" }>): AgentUpdate[] {
  const context = Context.safeParse(data).data;
  if (context === undefined) return [];
  const { contextUsed: used, contextSize: size, cost } = context;
  return [{ type: "usage", usage: { used, size, ...(cost && { cost }) } }];
}
