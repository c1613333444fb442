import { z } from "zod";
import { RuntimeName } from "./runtime.ts";

/** The events that a hook can receive. */
export const HookEvent = z.enum([
  "SessionStart",
  "SessionStop",
  "OnMessage",
  "OnError",
  "OnRequest",
  "OnTurnEnd",
  "OnLimit",
  "OnBudget",
]);
export type HookEvent = z.infer<typeof HookEvent>;

/** The events that a hook receives by default: the events in Gas Town's runtime interface. */
export const defaultHookEvents: readonly HookEvent[] = HookEvent.options.slice(0, 4);

/**
 * The events that a notification reports by default: an agent needs an answer, has finished a turn, or has reached a
 * limit.
 */
export const notificationEvents: readonly HookEvent[] = [
  "OnRequest",
  "OnTurnEnd",
  "OnLimit",
  "OnBudget",
];

/** The payload of a hook, with the field names of Gas Town's runtime interface. Unknown values are null. */
export const HookPayload = z.strictObject({
  /** The event that the hook reports. */
  event: HookEvent,
  /** The runtime of the session. */
  runtime: RuntimeName,
  /** The id of the session. */
  session_id: z.string(),
  /** The working directory of the session. */
  workdir: z.string(),
  /** The rig of the agent in Gas Town. */
  rig: z.string().nullable(),
  /** The role of the agent in Gas Town. */
  role: z.string().nullable(),
  /** The bead that the agent works on. */
  bead: z.string().nullable(),
  /** The name of the agent in Gas Town. */
  actor: z.string().nullable(),
  /** When the event happened. */
  timestamp: z.iso.datetime(),
  /** Further data, which depends on the event and the runtime. */
  data: z.looseObject({
    /** The `seq` of the event that caused the call. */
    seq: z.number().int().positive(),
  }),
});
export type HookPayload = z.infer<typeof HookPayload>;

const events = z.array(HookEvent).min(1).exactOptional();

/** A program that receives the payload on its standard input. It is started directly, without a shell. */
export const CommandHook = z.strictObject({
  /** The program and its arguments. */
  command: z.tuple([z.string().min(1)], z.string()),
  /** The events that the hook receives. Defaults to SessionStart, SessionStop, OnMessage and OnError. */
  events,
  /** The time limit of the program in milliseconds. After that, the program is killed. */
  timeoutMs: z.number().int().positive().max(600_000).default(10_000),
  /** Variables that are added to the program's environment. */
  env: z.record(z.string(), z.string()).default({}),
});
export type CommandHook = z.infer<typeof CommandHook>;

/** A file to which each payload is appended as one line. */
export const FileHook = z.strictObject({
  /** The path of the file. */
  file: z.string().min(1),
  /** The events that the hook receives. Defaults to SessionStart, SessionStop, OnMessage and OnError. */
  events,
});
export type FileHook = z.infer<typeof FileHook>;

/** A URL that receives each payload as a POST request. Failed requests are retried. */
export const UrlHook = z.strictObject({
  /** The URL. */
  url: z.url({ protocol: /^https?$/ }),
  /**
   * The events that the hook receives. Defaults to SessionStart, SessionStop, OnMessage and OnError; for `ntfy` and
   * `slack`, to OnRequest, OnTurnEnd, OnLimit and OnBudget.
   */
  events,
  /** The format of the message: the payload as JSON, or a notification for an ntfy topic or a Slack webhook. */
  format: z.enum(["json", "ntfy", "slack"]).default("json"),
  /** Headers that are added to each request. A value can contain `${NAME}` to read an environment variable. */
  headers: z.record(z.string().regex(/^[\w-]+$/), z.string()).default({}),
  /** The secret that signs each request (Standard Webhooks), or `${NAME}` to read it from an environment variable. */
  secret: z.string().min(1).exactOptional(),
  /** The time limit of one attempt in milliseconds. */
  timeoutMs: z.number().int().positive().max(600_000).default(10_000),
  /** The number of attempts to deliver a payload. */
  attempts: z.number().int().positive().max(20).default(5),
});
export type UrlHook = z.infer<typeof UrlHook>;

/** A hook: an element of `hooks` in `halyard.json` and `config.json`. */
export const HookSettings = z.union([CommandHook, FileHook, UrlHook], {
  error: "expected a hook: an object with command, file or url",
});
export type HookSettings = z.input<typeof HookSettings>;
