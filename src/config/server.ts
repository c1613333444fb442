import { z } from "zod";
import { RuntimeName } from "../schema/runtime.ts";

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

/** `config/server.json`: what holds for everything that is run from here. */
export const ServerFile = WrittenServerFile.extend({
  agent_runtime: RuntimeName.default("auto"),
});
export type ServerFile = z.infer<typeof ServerFile>;

/** `config/factory.json`: the account that Droid signs in with. Keep it out of git. */
export const FactoryFile = z.strictObject({
  $schema: z.string().optional(),
  /** A key of Factory's; an empty one counts as none. */
  api_key: z.string().optional(),
});
export type FactoryFile = z.infer<typeof FactoryFile>;

/** The key of `factory.json`, if it is one. */
export function factoryKey(factory: FactoryFile | undefined): string | undefined {
  return factory?.api_key?.trim() || undefined;
}

/** Where to listen, as far as `server.json` says it. */
export function listenAddress(server: ServerFile | undefined): { host?: string; port?: number } {
  const { address } = server ?? {};
  if (address === undefined) return {};
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  return { ...(host !== "" && { host }), port: Number(address.slice(at + 1)) };
}
