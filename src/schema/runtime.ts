import { z } from "zod";
import { inputWays } from "./input-ways.ts";
import type { RuntimeOptions } from "./runtime-options.ts";

/** What a runtime can do beyond taking a message and answering it. */
export const Capability = z.enum([
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "steer",
  "permissions",
  "questions",
  "plan",
  "resume",
  "attach",
  "endpoints",
  /** Only some of its tools, or all but some. */
  "tool-lists",
  /** Another model, policy or mode while it runs. */
  "settings",
  /** MCP servers of the session's own, by its option `mcpServers`. */
  "mcp",
]);
export type Capability = z.infer<typeof Capability>;

/** What a runtime is called. */
export const RuntimeName = z.string().regex(/^[a-z][a-z0-9-]*$/, "a lower-case name such as pi");
export type RuntimeName = keyof RuntimeOptions | (string & Record<never, never>);

/** Where a runtime's process can live. */
export const HostName = z.enum(["local", "tmux", "container"]);
export type HostName = z.infer<typeof HostName>;

/**
 * A way for a message to get into a runtime. `stdin`: it is written to the standard input of the runtime's process, in the
 * format that the runtime reads there. `rpc`: it is a call to a server or SDK of the runtime, over a socket, HTTP or in
 * process. `tmux`: it is typed into the runtime's pane.
 */
export const InputWay = z.enum(inputWays);
export type InputWay = z.infer<typeof InputWay>;

/** How a runtime becomes ready for messages, and how often a message that it does not take is retried. */
export const Readiness = z.strictObject({
  /**
   * `protocol`: the runtime answers its handshake. `prompt`: its prompt shows on the screen. `warmup`: a fixed delay has
   * passed as well.
   */
  strategy: z.enum(["protocol", "prompt", "warmup"]),
  /** The delay of `warmup`, from the start of the runtime, in milliseconds. */
  warmupMs: z.number().int().nonnegative().exactOptional(),
  /** The retry budget: further attempts at a message that the runtime does not take, with backoff. */
  retries: z.number().int().nonnegative(),
});
export type Readiness = z.infer<typeof Readiness>;
