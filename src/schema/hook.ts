import { z } from "zod";
import { RuntimeName } from "./runtime.ts";

/** What a hook can be told of. */
export const HookEvent = z.enum(["SessionStart", "SessionStop", "OnMessage", "OnError"]);
export type HookEvent = z.infer<typeof HookEvent>;

/** What every hook gets, in the words of Gas Town's runtime interface. What is not known is null. */
export const HookPayload = z.strictObject({
  event: HookEvent,
  runtime: RuntimeName,
  session_id: z.string(),
  workdir: z.string(),
  rig: z.string().nullable(),
  role: z.string().nullable(),
  bead: z.string().nullable(),
  actor: z.string().nullable(),
  timestamp: z.iso.datetime(),
  /** `seq` is the place of its cause in the session's log; the rest depends on the event and the runtime. */
  data: z.looseObject({ seq: z.number().int().positive() }),
});
export type HookPayload = z.infer<typeof HookPayload>;

/** The events a hook is told of: all of them unless some are named. */
const events = z.array(HookEvent).min(1).exactOptional();

/** A program that gets the payload on standard input. It is started as it is: no shell reads its words. */
export const CommandHook = z.strictObject({
  command: z.tuple([z.string().min(1)], z.string()),
  events,
  /** After which it is ended. */
  timeoutMs: z.number().int().positive().max(600_000).default(10_000),
  /** Added to its environment. */
  env: z.record(z.string(), z.string()).default({}),
});
export type CommandHook = z.infer<typeof CommandHook>;

/** A file that gets one payload per line. */
export const FileHook = z.strictObject({ file: z.string().min(1), events });
export type FileHook = z.infer<typeof FileHook>;

/** A URL that gets each payload by POST, again and again until it takes it or the attempts are spent. */
export const UrlHook = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  events,
  /** Signs each request (Standard Webhooks): the secret itself, or `${NAME}` for the value of that environment variable. */
  secret: z.string().min(1).exactOptional(),
  /** For one attempt. */
  timeoutMs: z.number().int().positive().max(600_000).default(10_000),
  attempts: z.number().int().positive().max(20).default(5),
});
export type UrlHook = z.infer<typeof UrlHook>;

/** Somewhere to be told of what happens in sessions: `hooks` in `halyard.json` and `config.json`. */
export const HookSettings = z.union([CommandHook, FileHook, UrlHook], {
  error: "expected a hook: an object with command, file or url",
});
export type HookSettings = z.input<typeof HookSettings>;
