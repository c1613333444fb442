import { z } from "zod";

/**
 * How worktrees of a repository are set up. Applied only if the settings are trusted, because Halyard runs the `setup`
 * command.
 */
export const WorktreeSettings = z.strictObject({
  /** Files to copy from the repository into a new worktree, such as `.env`. Files that do not exist are skipped. */
  copy: z
    .array(
      z
        .string()
        .min(1)
        .refine(
          (path) =>
            !path.startsWith("/") && !path.split("/").some((part) => /^(\.\.|\.git)$/i.test(part)),
          "expected a path inside the repository, such as .env",
        ),
    )
    .optional(),
  /** The program to run in a new worktree before its session starts, and its arguments. Runs without a shell. */
  setup: z.array(z.string().min(1)).min(1).optional(),
  /** The time limit of `setup` in seconds. Defaults to 600. */
  setupSeconds: z.number().positive().max(86_400).optional(),
});
export type WorktreeSettings = z.infer<typeof WorktreeSettings>;
