import { z } from "zod";

/** `config/factory.json`: the account that Droid uses to sign in. Do not commit this file to git. */
export const FactoryFile = z.strictObject({
  $schema: z.string().optional(),
  /** The Factory API key. A blank key or null is ignored. */
  api_key: z.string().nullish(),
});
export type FactoryFile = z.infer<typeof FactoryFile>;
