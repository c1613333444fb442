import { z } from "zod";

/** A command that the runtime of a session accepts as a message: a slash, its name and its input. */
export const SlashCommand = z.strictObject({
  /** The name without the slash. */
  name: z.string(),
  /** A description of the command. */
  description: z.string().optional(),
  /** A hint for its input. */
  hint: z.string().optional(),
});
export type SlashCommand = z.infer<typeof SlashCommand>;
