import { z } from "zod";
import type { Receipt } from "../../schema/delivery.ts";
import { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { InputWay } from "../../schema/runtime.ts";
import { Milliseconds } from "../../schema/session/start-request.ts";

/** Launches, resumes, messages and monitors sessions of any runtime. */
export interface AgentRuntime extends AsyncDisposable {
  /**
   * Launches a session, waits until it accepts messages, and sends the initial prompt if there is one. If `runtimeName`
   * is not set, the rig's file selects the runtime, then the registry, then the configured default. By default, tools
   * run without permission requests.
   */
  start(options: StartOptions, context?: Context): Promise<SessionHandle>;
  /**
   * Attaches to a running session, or lets the runtime continue the conversation. Never starts a new conversation.
   * Resolves to the current handle.
   */
  resume(handle: SessionHandle, options?: ResumeOptions & Context): Promise<SessionHandle>;
  /**
   * Delivers a message. The receipt contains the delivery method that was used. Rejects if the message is not
   * delivered.
   */
  sendMessage(handle: SessionHandle, message: Message, context?: Context): Promise<DeliveryReceipt>;
  /** Stops the session and all processes that it started, and records the reason. Idempotent. */
  stop(handle: SessionHandle, reason: string, context?: Context): Promise<void>;
  /** True if the session accepts messages now. */
  isReady(handle: SessionHandle, context?: Context): Promise<boolean>;
  /** True if the session's process is running. A session without its own process counts as running until it has ended. */
  detectRunning(handle: SessionHandle, context?: Context): Promise<boolean>;
  /** Lists sessions, newest first. */
  listSessions(filter?: SessionFilter, context?: Context): Promise<SessionHandle[]>;
}

/** Options that every call accepts. */
export interface Context {
  /**
   * Aborts the call, which then rejects with the signal's reason. A message that is not delivered before the abort is
   * never delivered.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A receipt with the method that delivered the message to the runtime. */
export type DeliveryReceipt = Receipt & { readonly delivery: InputWay };

/** Zero values in Go structs: an empty string, or null for a map, means that the field is not set. */
const unset = z.literal("").transform(() => undefined);
const text = z.union([unset, z.string().min(1)]).optional();

/** Options for `AgentRuntime.start`. */
export const StartOptions = z.strictObject({
  workDir: z.string().min(1),
  /** Defaults to the runtime in the rig's file, the registry, or the configuration. */
  runtimeName: text,
  /** The directory of the account with which the runtime signs in. */
  accountDir: text,
  /**
   * Variables that are added to the environment of the runtime, including the session's role (`GT_ROLE`, `GT_RIG`, …).
   * `GT_SESSION_ID` becomes the session's id for every method of this interface and for hooks.
   */
  env: z
    .record(z.string(), z.string())
    .nullish()
    .transform((env) => env ?? {}),
  /** The message that starts the first turn. */
  initialPrompt: text,
  /** `minimal` runs the runtime as a plain process, `tmux` in a tmux pane. Defaults to the configured host. */
  mode: z
    .enum(["minimal", "tmux", ""])
    .transform((mode) => mode || undefined)
    .optional(),
  model: z.union([unset, z.string().min(1), ModelEndpoint]).optional(),
  reasoning: ReasoningLevel.optional(),
  /**
   * Defaults to `allow-all`. If omitted, requests that `allow-all` does not allow, such as questions, are denied
   * immediately, because no user watches the pane.
   */
  permissions: PermissionPolicy.optional(),
});
export type StartOptions = z.input<typeof StartOptions>;

/** Options for `AgentRuntime.resume`. They may contain keys and are never stored. */
export const ResumeOptions = StartOptions.pick({ model: true, env: true });
export type ResumeOptions = z.input<typeof ResumeOptions>;

/** A session as plain JSON that any process can use. */
export const SessionHandle = z.strictObject({
  runtime: z.string(),
  sessionID: z.string(),
  workDir: z.string(),
  /** The process id of the runtime, if the session has its own process. */
  pid: z.number().int().positive().optional(),
  startedAt: z.iso.datetime(),
  /** The time at which the session last became ready for messages. */
  readyAt: z.iso.datetime().optional(),
});
export type SessionHandle = z.infer<typeof SessionHandle>;

/** A message and how to deliver it. */
export const Message = z.strictObject({
  text: z.string().min(1),
  /** Defaults to the session's delivery method. Any other method, except an alias of it, is rejected with `unsupported`. */
  delivery: z
    .enum([...InputWay.options, ""])
    .transform((way) => way || undefined)
    .optional(),
  /**
   * The time limit for the delivery, in milliseconds. If omitted or 0, the message may wait until the current turn
   * ends.
   */
  timeout: Milliseconds.optional(),
});
export type Message = z.input<typeof Message>;

/** The filter for `AgentRuntime.listSessions`. */
export const SessionFilter = z.strictObject({
  runtime: z.string().optional(),
  workDir: z.string().optional(),
  rig: z.string().optional(),
  role: z.string().optional(),
  /** True for sessions whose process is running, false for all others. */
  running: z.boolean().optional(),
});
export type SessionFilter = z.infer<typeof SessionFilter>;
