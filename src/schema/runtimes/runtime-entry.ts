import { z } from "zod";
import { InputWay } from "../runtime.ts";

/** A runtime that a user registers: changes to the built-in runtime with that name, or a custom runtime. */
export const RuntimeEntry = z.strictObject({
  /** The program, as a path or as a name on the PATH. */
  bin: z.string().min(1).exactOptional(),
  /** Arguments that precede Halyard's own arguments. */
  args: z.array(z.string()).exactOptional(),
  /** Variables that are added to its environment. */
  env: z.record(z.string(), z.string()).exactOptional(),
  /** How to detect that the runtime is ready: its prompt appears on the screen, or a minimum delay has also passed. */
  ready: z.enum(["prompt", "warmup"]).exactOptional(),
  /**
   * The start of its prompt: in tmux, the runtime is ready when a line of the screen starts with it. Not for `ready:
   * warmup`.
   */
  ready_prompt_prefix: z.string().min(1).exactOptional(),
  /**
   * The delay of `ready: warmup`, in milliseconds. Defaults to 1,000, or 3,000 for a program that only has a screen.
   */
  ready_delay_ms: z.number().int().nonnegative().exactOptional(),
  /** The input method. `tmux` starts its sessions in tmux unless a session names another host. */
  delivery: InputWay.exactOptional(),
  /** The protocol that a custom runtime uses on its standard input and output. */
  protocol: z.enum(["acp"]).exactOptional(),
  /** The names of its processes in tmux. */
  process_names: z.array(z.string().min(1)).exactOptional(),
});
export type RuntimeEntry = z.infer<typeof RuntimeEntry>;
