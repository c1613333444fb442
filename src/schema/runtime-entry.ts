import { z } from "zod";
import { InputWay } from "./runtime.ts";

/** A runtime as a user registers it: what differs from the built-in one of that name, or one of the user's own. */
export const RuntimeEntry = z.strictObject({
  /** The program, by its path or its name on the PATH. */
  bin: z.string().min(1).exactOptional(),
  /** Put before the arguments that Halyard gives it. */
  args: z.array(z.string()).exactOptional(),
  /** Added to its environment. */
  env: z.record(z.string(), z.string()).exactOptional(),
  /** When it takes messages: once its prompt shows on a screen, or after a delay at the earliest. */
  ready: z.enum(["prompt", "warmup"]).exactOptional(),
  /** What its prompt begins with: in tmux, the runtime is ready once a line of its screen begins so. Not for `ready: warmup`. */
  ready_prompt_prefix: z.string().min(1).exactOptional(),
  /** The delay of `ready: warmup`, in milliseconds. Defaults to 1,000, or 3,000 for a program that is only a screen. */
  ready_delay_ms: z.number().int().nonnegative().exactOptional(),
  /** The way that its messages take; `tmux` starts its sessions in tmux unless a session names another host. */
  delivery: InputWay.exactOptional(),
  /** What a runtime of the user's own speaks on its standard input and output. */
  protocol: z.enum(["acp"]).exactOptional(),
  /** What its processes are called, where it runs in a terminal. */
  process_names: z.array(z.string().min(1)).exactOptional(),
});
export type RuntimeEntry = z.infer<typeof RuntimeEntry>;
