import { z } from "zod";
import { Capability, InputWay, Readiness, RuntimeName } from "./runtime.ts";

/** Whether a runtime can be used here, and if not, why and what to do about it. */
export const Availability = z.discriminatedUnion("available", [
  z.strictObject({
    /** True if the runtime can be used on this machine. */
    available: z.literal(true),
    /** The version of the runtime. */
    version: z.string().optional(),
    /** The path of the program, if the runtime is a program. */
    program: z.string().optional(),
  }),
  z.strictObject({
    /** False if the runtime cannot be used on this machine. */
    available: z.literal(false),
    /** Why it cannot be used. */
    reason: z.string(),
    /** How to make it available. */
    hint: z.string(),
  }),
]);
export type Availability = z.infer<typeof Availability>;

/** A runtime as listed. */
export const RuntimeInfo = z.strictObject({
  /** The name of the runtime, for `StartRequest.runtime`. */
  name: RuntimeName,
  /** The name for people. */
  displayName: z.string(),
  /** What the runtime supports. */
  capabilities: z.array(Capability),
  /** The ways that messages can take into it on the local host, the default first. Defaults to `rpc` alone. */
  inputs: z.array(InputWay).optional(),
  /** How it becomes ready on the local host. Defaults to its protocol, with three retries. */
  readiness: Readiness.optional(),
  /** The same in tmux, for a runtime that has a screen. */
  onScreen: z
    .strictObject({
      /** How messages get into it, the usual way first. */
      inputs: z.array(InputWay),
      /** How it becomes ready. */
      readiness: Readiness.optional(),
    })
    .optional(),
  /** What a session in a Gas Town has to be told first, where the runtime's own hooks do not tell it. */
  bootstrap: z.string().optional(),
  /** The protocol it is driven by, where that is one that many speak. */
  protocol: z.string().optional(),
  /** True if the caller passed its adapter or registered it in `runtimes.json`. */
  added: z.boolean().optional(),
  /** Whether the runtime can be used on this machine. */
  availability: Availability,
});
export type RuntimeInfo = z.infer<typeof RuntimeInfo>;

/** A runtime as `runtime list` shows it. */
export const ListedRuntime = RuntimeInfo.extend({
  /** What a session would get here that asks for none. */
  isDefault: z.boolean(),
});
export type ListedRuntime = z.infer<typeof ListedRuntime>;

/** What a runtime says of itself when it is greeted, without a turn. */
export const Greeting = z.strictObject({
  /** What was agreed to be spoken. */
  protocol: z.string(),
  /** The version of that protocol. */
  version: z.number().int(),
  /** What the program calls itself. */
  agent: z.string(),
  /** How one can sign in with it. */
  signIn: z.array(z.string()),
  /** What it says it can do, in its own words. */
  capabilities: z.record(z.string(), z.unknown()),
});
export type Greeting = z.infer<typeof Greeting>;

/** A runtime looked at closely, as `runtime doctor` does. */
export const RuntimeReport = RuntimeInfo.extend({
  /** The version this Halyard was tested with. */
  testedWith: z.string().optional(),
  /** Whether it has a key or login of its own; without one it needs a model endpoint. */
  signedIn: z.enum(["yes", "no", "unknown"]),
  /** What it answered, for one that can be asked without a turn. */
  greeting: Greeting.optional(),
  /** Whether it can be given a task as it is. */
  usable: z.boolean(),
  /** What to do where it is not, or what to know where it is. */
  advice: z.array(z.string()),
});
export type RuntimeReport = z.infer<typeof RuntimeReport>;
