import { z } from "zod";
import { InputWay } from "../runtime.ts";

/** A runtime that a user registers: a custom runtime, or changes to the built-in runtime with the same name. */
export const RuntimeEntry = z.strictObject({
  /** The program, as a path or as a name on the PATH. */
  bin: z.string().min(1).exactOptional(),
  /** Arguments that precede Halyard's own arguments. */
  args: z.array(z.string()).exactOptional(),
  /** Variables that are added to the program's environment. */
  env: z.record(z.string(), z.string()).exactOptional(),
  /**
   * How to detect that the runtime is ready. `prompt`: its prompt appears on the screen. `warmup`: a minimum delay has
   * passed, and the runtime has also completed its handshake or shown its prompt if Halyard can detect that.
   */
  ready: z.enum(["prompt", "warmup"]).exactOptional(),
  /**
   * The start of the runtime's prompt. In tmux, the runtime is ready when a screen line starts with this text. Not valid with
   * `ready: warmup`.
   */
  ready_prompt_prefix: z.string().min(1).exactOptional(),
  /**
   * The delay of `ready: warmup`, in milliseconds. Defaults to 1,000, or 3,000 for a program that only runs on a
   * screen.
   */
  ready_delay_ms: z.number().int().nonnegative().exactOptional(),
  /** The input method. With `tmux`, sessions run in tmux unless the request or a file of the project names another host. */
  delivery: InputWay.exactOptional(),
  /** The protocol that a custom runtime uses on its standard input and output. */
  protocol: z.enum(["acp"]).exactOptional(),
  /** The names of the runtime's processes in tmux. */
  process_names: z.array(z.string().min(1)).exactOptional(),
});
export type RuntimeEntry = z.infer<typeof RuntimeEntry>;
