import { z } from "zod";
import { Capability, InputAliases, InputWay, Readiness, RuntimeName } from "../runtime.ts";
import { SchemaChanges } from "./schema-changes.ts";

/**
 * The availability of a runtime on this machine. For an unavailable runtime, contains the reason and how to make it
 * available.
 */
export const Availability = z.discriminatedUnion("available", [
  z.strictObject({
    /** True if the runtime can be used on this machine. */
    available: z.literal(true),
    /** The version of the runtime. */
    version: z.string().optional(),
    /** The path of the program, if the runtime is a program. */
    program: z.string().optional(),
    /** The path of the Node.js binary that runs the program, if Halyard's own Node.js version is too old for it. */
    node: z.string().optional(),
  }),
  z.strictObject({
    /** False if the runtime cannot be used on this machine. */
    available: z.literal(false),
    /** Why the runtime cannot be used, as a clause without a period. */
    reason: z.string(),
    /** How to make the runtime available. */
    hint: z.string(),
  }),
]);
export type Availability = z.infer<typeof Availability>;

/** A runtime with its capabilities and its availability on this machine. */
export const RuntimeInfo = z.strictObject({
  /** The name of the runtime, for `StartRequest.runtime`. */
  name: RuntimeName,
  /** The display name. */
  displayName: z.string(),
  /** The capabilities of the runtime. */
  capabilities: z.array(Capability),
  /** The input methods on the local host, the default first. Defaults to `rpc` only. */
  inputs: z.array(InputWay).optional(),
  /** Aliases of these input methods. Defaults to none. */
  inputAliases: InputAliases.optional(),
  /** How the runtime signals readiness on the local host. Defaults to the protocol's handshake and three retries. */
  readiness: Readiness.optional(),
  /** The input methods and readiness in tmux, for a runtime that has a screen. */
  onScreen: z
    .strictObject({
      /** The input methods, the default first. */
      inputs: z.array(InputWay),
      /** Aliases of these input methods. Defaults to none. */
      inputAliases: InputAliases.optional(),
      /** How the runtime signals that it is ready. */
      readiness: Readiness.optional(),
    })
    .optional(),
  /**
   * The first message to send so that the agent loads its context, for a runtime without a hook for this purpose.
   * Defaults to none.
   */
  bootstrap: z.string().optional(),
  /** The name of the protocol, if the runtime uses one that many runtimes share, such as `acp`. */
  protocol: z.string().optional(),
  /** True if the caller passed the adapter, or a user registered the runtime in `runtimes.json`. */
  added: z.boolean().optional(),
  /** The availability of the runtime on this machine. */
  availability: Availability,
});
export type RuntimeInfo = z.infer<typeof RuntimeInfo>;

/** A runtime as shown by `runtime list`. */
export const ListedRuntime = RuntimeInfo.extend({
  /** True if sessions that do not name a runtime use this one. */
  isDefault: z.boolean(),
});
export type ListedRuntime = z.infer<typeof ListedRuntime>;

/** The values that a runtime reports in a handshake that runs no turn. */
export const Greeting = z.strictObject({
  /** The negotiated protocol. */
  protocol: z.string(),
  /** The version of that protocol. */
  version: z.number().int(),
  /** The name that the program reports. */
  agent: z.string(),
  /** The sign-in methods that the program supports. */
  signIn: z.array(z.string()),
  /** The capabilities that the program reports, in its own format. */
  capabilities: z.record(z.string(), z.unknown()),
});
export type Greeting = z.infer<typeof Greeting>;

/** A runtime in detail, as shown by `runtime doctor`. */
export const RuntimeReport = RuntimeInfo.extend({
  /** The version of the runtime that this version of Halyard was tested with. */
  testedWith: z.string().optional(),
  /** Whether the runtime has its own key or login. If not, it needs a model endpoint. */
  signedIn: z.enum(["yes", "no", "unknown"]),
  /** The runtime's handshake, if it can perform one without a turn. */
  greeting: Greeting.optional(),
  /** How the schema that the program prints differs from the tested schema. Absent if the program prints no schema. */
  schema: SchemaChanges.optional(),
  /** True if the runtime is available, its handshake did not fail, and `signedIn` is not `no`. */
  usable: z.boolean(),
  /** How to make the runtime usable, or notes if it is already usable. */
  advice: z.array(z.string()),
});
export type RuntimeReport = z.infer<typeof RuntimeReport>;
