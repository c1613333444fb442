import { z } from "zod";

/** `trust.json` in Halyard's home: the directories whose files the user trusts, with all below them. */
export const TrustFile = z.strictObject({
  $schema: z.string().optional(),
  /** Each with all below it. */
  directories: z.array(z.string().min(1)).default([]),
});
export type TrustFile = z.infer<typeof TrustFile>;
