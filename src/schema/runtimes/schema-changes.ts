import { z } from "zod";

/** How the schema that a runtime prints differs from the schema of the tested version. */
export const SchemaChanges = z.strictObject({
  /** Names of methods, events and fields that the tested version does not contain. */
  added: z.array(z.string()),
  /** Names that the installed version no longer contains. */
  removed: z.array(z.string()),
});
export type SchemaChanges = z.infer<typeof SchemaChanges>;
