import { z } from "zod";
import { RuntimeName } from "../../schema/runtime.ts";

/** `config/server.json` as it is written. */
export const WrittenServerFile = z.strictObject({
  $schema: z.string().optional(),
  /** Where `halyard serve` listens, as `host:port`, or `:port` on this machine alone. */
  address: z
    .string()
    .regex(/^(\[[\da-f:.]+\]|[^:\s]*):\d{1,5}$/i, "expected host:port, or :port")
    .optional(),
  /** A runtime's name, or `auto`: droid where `factory.json` holds a key, otherwise opencode. */
  agent_runtime: RuntimeName.optional(),
  droid: z
    .strictObject({
      /** For sessions of droid that name no model: a name out of `models.json`, or a model's own. */
      default_model: z.string().min(1).optional(),
    })
    .optional(),
});
export type WrittenServerFile = z.infer<typeof WrittenServerFile>;

/** `config/server.json`: what holds for everything that is run from here. */
export const ServerFile = WrittenServerFile.extend({
  agent_runtime: RuntimeName.default("auto"),
});
export type ServerFile = z.infer<typeof ServerFile>;
