import { z } from "zod";
import { inputWays } from "./constants.ts";
import type { RuntimeOptions } from "./runtimes/runtime-options.ts";

/** An optional feature of a runtime. */
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
  /** Restricts the session to some tools, or to all tools except some. */
  "tool-lists",
  /** Changes the model, policy or mode while the runtime runs. */
  "settings",
  /** Accepts MCP servers in the option `mcpServers`. */
  "mcp",
  /** Accepts images in messages. */
  "images",
  /** Continues a copy of a conversation in another session. */
  "fork",
  /** Replaces the conversation with a summary on request. */
  "compact",
  /** Lists its slash commands. */
  "commands",
  /** Lists its models. */
  "models",
  /** The runtime itself enforces a JSON Schema for the final message. Other runtimes receive the schema as text. */
  "structured-output",
  /** Lists the sessions that it recorded without Halyard, and continues a copy of one. */
  "native-sessions",
]);
export type Capability = z.infer<typeof Capability>;

const runtimeName = /^[a-z][a-z0-9-]*$/;

/** The name of a runtime. */
export const RuntimeName = z
  .string()
  .regex(runtimeName, { error: ({ input }) => `expected ${runtimeNameAdvice(String(input))}` });
export type RuntimeName = keyof RuntimeOptions | (string & Record<never, never>);

/**
 * How messages are sent to a runtime. `stdin`: written to the standard input of its process, in the runtime's own
 * format. `rpc`: a call to a server or SDK of the runtime, over a socket, over HTTP or in process. `tmux`: typed into
 * its tmux pane.
 */
export const InputWay = z.enum(inputWays);
export type InputWay = z.infer<typeof InputWay>;

/**
 * Aliases of input methods. For example, `{ rpc: "stdin" }` for a runtime that reads remote procedure calls from its
 * standard input.
 */
export const InputAliases = z.partialRecord(InputWay, InputWay);
export type InputAliases = z.infer<typeof InputAliases>;

/** How a runtime signals that it accepts messages, and how often a rejected message is retried. */
export const Readiness = z.strictObject({
  /**
   * `protocol`: the runtime completes its handshake. `prompt`: its prompt appears on the screen. `warmup`:
   * a minimum delay has passed, and the runtime has also completed its handshake or shown its prompt if Halyard can
   * detect that.
   */
  strategy: z.enum(["protocol", "prompt", "warmup"]),
  /** The delay of `warmup` after the start of the runtime, in milliseconds. */
  warmupMs: z.number().int().nonnegative().exactOptional(),
  /** How often a message that the runtime rejects is retried, with backoff. */
  retries: z.number().int().nonnegative(),
});
export type Readiness = z.infer<typeof Readiness>;

/** Describes a valid runtime name. Suggests a correction if `name` differs from a valid name only by case or spaces. */
export function runtimeNameAdvice(name: string): string {
  const lower = name.trim().toLowerCase();
  return runtimeName.test(lower)
    ? `a lower-case name. Did you mean "${lower}"?`
    : "a lower-case name such as pi";
}
