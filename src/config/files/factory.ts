import { z } from "zod";

/** `config/factory.json`: the account that Droid signs in with. Keep it out of git. */
export const FactoryFile = z.strictObject({
  $schema: z.string().optional(),
  /** The API key of Factory. An empty key or null is ignored. */
  api_key: z.string().nullish(),
});
export type FactoryFile = z.infer<typeof FactoryFile>;
