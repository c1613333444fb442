import { z } from "zod";

/** The name of a session, which the command line accepts in place of its id. */
export const SessionName = z
  .string()
  .min(1)
  .refine(
    (name) => name !== "last",
    '"last" is reserved: --resume last resumes the last session. Choose another name.',
  );
