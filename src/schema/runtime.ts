import { z } from "zod";

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
  /** Another model, policy or mode while it runs. */
  "settings",
]);
export type Capability = z.infer<typeof Capability>;

/** What a runtime is called. */
export const RuntimeName = z.string().regex(/^[a-z][a-z0-9-]*$/, "a lower-case name such as pi");
export type RuntimeName = z.infer<typeof RuntimeName>;

/** Where a runtime's process can live. */
export const HostName = z.enum(["local", "tmux", "container"]);
export type HostName = z.infer<typeof HostName>;

/** Whether a runtime can be used here, and if not, why and what to do about it. */
export const Availability = z.discriminatedUnion("available", [
  z.strictObject({
    available: z.literal(true),
    version: z.string().optional(),
    /** Where the program was found, for a runtime that is one. */
    program: z.string().optional(),
  }),
  z.strictObject({ available: z.literal(false), reason: z.string(), hint: z.string() }),
]);
export type Availability = z.infer<typeof Availability>;

/** A runtime as listed. */
export const RuntimeInfo = z.strictObject({
  name: RuntimeName,
  displayName: z.string(),
  capabilities: z.array(Capability),
  availability: Availability,
});
export type RuntimeInfo = z.infer<typeof RuntimeInfo>;

/** A runtime looked at closely, as `runtime doctor` does. */
export const RuntimeReport = RuntimeInfo.extend({
  /** The version this Halyard was tested with. */
  testedWith: z.string().optional(),
  /** Whether it has a key or login of its own; without one it needs a model endpoint. */
  signedIn: z.enum(["yes", "no", "unknown"]),
  /** Whether it can be given a task as it is. */
  usable: z.boolean(),
  /** What to do where it is not, or what to know where it is. */
  advice: z.array(z.string()),
});
export type RuntimeReport = z.infer<typeof RuntimeReport>;
