import { z } from "zod";
import { RuntimeName } from "../../schema/runtime.ts";

/** `config/server.json` before defaults are applied. */
export const WrittenServerFile = z.strictObject({
  $schema: z.string().optional(),
  /** The address that `halyard serve` listens on: `host:port`, or `:port` for this machine only. */
  address: z
    .string()
    .regex(/^(\[[\da-f:.]+\]|[^:\s]*):\d{1,5}$/i, "expected host:port, or :port")
    .optional(),
  /** The name of a runtime, or `auto`: droid if `factory.json` has a key, otherwise opencode. */
  agent_runtime: RuntimeName.optional(),
  droid: z
    .strictObject({
      /** The default model of droid sessions: the name of a model in `models.json`, or a model id. */
      default_model: z.string().min(1).optional(),
    })
    .optional(),
});
export type WrittenServerFile = z.infer<typeof WrittenServerFile>;

/** `config/server.json`: settings of all sessions that are started from this directory. */
export const ServerFile = WrittenServerFile.extend({
  agent_runtime: RuntimeName.default("auto"),
});
export type ServerFile = z.infer<typeof ServerFile>;
