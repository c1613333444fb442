import { z } from "zod";

/** `trust.json` in Halyard's home: the directories whose files the user trusts. */
export const TrustFile = z.strictObject({
  $schema: z.string().optional(),
  /** Each with all below it. */
  directories: z.array(z.string().min(1)).default([]),
  /** Directories whose settings the user agreed to when asked, each with the hash of these settings. */
  answers: z.record(z.string(), z.string().min(1)).default({}),
  /** The same for those that the user did not agree to: they are not asked for again. */
  declined: z.record(z.string(), z.string().min(1)).default({}),
});
export type TrustFile = z.infer<typeof TrustFile>;
