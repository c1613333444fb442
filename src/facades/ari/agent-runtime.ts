import { z } from "zod";
import type { Receipt } from "../../schema/delivery.ts";
import { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { InputWay } from "../../schema/runtime.ts";
import { Milliseconds } from "../../schema/start-request.ts";

/** Launches, resumes, messages and watches sessions of any runtime. */
export interface AgentRuntime extends AsyncDisposable {
  /**
   * Launches a session, waits until it takes messages, and sends it the first if there is one. Without `runtimeName` the
   * rig's file decides, then the registry, then the configured default. Tools run without being asked for.
   */
  start(options: StartOptions, context?: Context): Promise<SessionHandle>;
  /** Takes hold of a session that runs, or has its runtime continue it; never begins afresh. Its handle as of now. */
  resume(handle: SessionHandle, options?: ResumeOptions & Context): Promise<SessionHandle>;
  /** Delivers a message. The receipt names the way that was used; rejects with the reason if it is not delivered. */
  sendMessage(handle: SessionHandle, message: Message, context?: Context): Promise<DeliveryReceipt>;
  /** Ends the session and all it started, and records the reason. Repeatable. */
  stop(handle: SessionHandle, reason: string, context?: Context): Promise<void>;
  /** True if it takes a message now. */
  isReady(handle: SessionHandle, context?: Context): Promise<boolean>;
  /** True if its process lives. */
  detectRunning(handle: SessionHandle, context?: Context): Promise<boolean>;
  /** Newest first. */
  listSessions(filter?: SessionFilter, context?: Context): Promise<SessionHandle[]>;
}

/** The seed's `ctx`. */
export interface Context {
  /** Gives the call up: it rejects with the signal's reason, and a message that is not delivered by then never is. */
  readonly signal?: AbortSignal | undefined;
}

/** A receipt, and the way by which the runtime got the message. */
export type DeliveryReceipt = Receipt & { readonly delivery: InputWay };

/** The seed's structs have zero values: an empty string is the same as none. */
const unset = z.literal("").transform(() => undefined);
const text = z.union([unset, z.string().min(1)]).optional();

/** A launch. */
export const StartOptions = z.strictObject({
  workDir: z.string().min(1),
  /** Defaults to the runtime of the rig, of the registry, or of the configuration. */
  runtimeName: text,
  /** Where the account is kept that the runtime signs in with. */
  accountDir: text,
  /**
   * Added to the environment of the runtime's process, the session's part in the town (`GT_ROLE`, `GT_RIG`, …) with it. A
   * `GT_SESSION_ID` in it becomes the session's id for every method of this interface and for hooks.
   */
  env: z.record(z.string(), z.string()).default({}),
  /** Sent as the first turn. */
  initialPrompt: text,
  /** A plain process, or a pane of tmux; as the configuration says, unless given. */
  mode: z.union([z.enum(["minimal", "tmux"]), unset]).optional(),
  model: z.union([unset, z.string().min(1), ModelEndpoint]).optional(),
  reasoning: ReasoningLevel.optional(),
  /** Defaults to `allow-all`, and what is asked nevertheless is denied at once: nobody sits at a pane. */
  permissions: PermissionPolicy.optional(),
});
export type StartOptions = z.input<typeof StartOptions>;

/** What a session has to be given anew, for it may hold keys and is never on record. */
export const ResumeOptions = StartOptions.pick({ model: true, env: true });
export type ResumeOptions = z.input<typeof ResumeOptions>;

/** A session, as plain JSON that any process can use. */
export const SessionHandle = z.strictObject({
  runtime: z.string(),
  sessionID: z.string(),
  workDir: z.string(),
  /** The runtime's process, while it has one. */
  pid: z.number().int().positive().optional(),
  startedAt: z.iso.datetime(),
  /** When it last began to take messages. */
  readyAt: z.iso.datetime().optional(),
});
export type SessionHandle = z.infer<typeof SessionHandle>;

/** A message, and how it is to get there. */
export const Message = z.strictObject({
  text: z.string().min(1),
  /** Defaults to the session's way. Any other way is rejected with `unsupported`. */
  delivery: z.union([InputWay, unset]).optional(),
  /** How long it may take until the runtime has it, in milliseconds. Without it, or with 0, a message may wait for its turn. */
  timeout: Milliseconds.optional(),
});
export type Message = z.input<typeof Message>;

/** Which sessions to list. */
export const SessionFilter = z.strictObject({
  runtime: z.string().optional(),
  workDir: z.string().optional(),
  rig: z.string().optional(),
  role: z.string().optional(),
  /** Only those whose process lives, or only the others. */
  running: z.boolean().optional(),
});
export type SessionFilter = z.infer<typeof SessionFilter>;
