import { z } from "zod";

/** The screen of a session whose runtime runs in tmux, at one point in time. */
export const SessionScreen = z.strictObject({
  /** The rows from top to bottom. Colors and styles are SGR escape sequences; other escape sequences are removed. */
  lines: z.array(z.string()),
  /** The title that the program set. Empty if it set none. */
  title: z.string(),
  /** The zero-based position of the cursor. */
  cursor: z.strictObject({
    row: z.number().int().nonnegative(),
    column: z.number().int().nonnegative(),
  }),
  /** The command that shows the screen to a user: the program and its arguments. */
  viewCommand: z.array(z.string()),
});
export type SessionScreen = z.infer<typeof SessionScreen>;
