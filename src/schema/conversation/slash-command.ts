import { z } from "zod";

/** A command that the session's runtime accepts as a message: a slash, the command's name and its input. */
export const SlashCommand = z.strictObject({
  /** The name without the slash. */
  name: z.string(),
  /** A description of the command. */
  description: z.string().optional(),
  /** A hint that describes the input. */
  hint: z.string().optional(),
});
export type SlashCommand = z.infer<typeof SlashCommand>;
