import { z } from "zod";

/** `trust.json` in the Halyard home: the directories whose files the user trusts. */
export const TrustFile = z.strictObject({
  $schema: z.string().optional(),
  /** Trusted directories, including all directories below them. */
  directories: z.array(z.string().min(1)).default([]),
  /** Directories whose settings the user has accepted, each with the hash of these settings. */
  answers: z.record(z.string(), z.string().min(1)).default({}),
  /** Directories whose settings the user has declined. Halyard does not ask again while the hash is the same. */
  declined: z.record(z.string(), z.string().min(1)).default({}),
});
export type TrustFile = z.infer<typeof TrustFile>;
