import { constants, existsSync, watch } from "node:fs";
import { open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { Wake } from "../../../async/wake.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { RequestDraft } from "../../../contracts/event-draft.ts";
import { quoteForShell } from "../../../programs/quote-for-shell.ts";
import { commandTools, requiresCommandPermission } from "../policy.ts";
import type { ScreenFiles } from "./files.ts";

/** The fields that Halyard reads from Claude's hook messages. */
const HookMessage = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string().optional(),
  permission_mode: z.string().optional(),
  prompt: z.string().optional(),
  tool_name: z.string().optional(),
  tool_use_id: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
});
export type HookMessage = z.infer<typeof HookMessage> & {
  /** The name of the message's file, without its extension. */
  readonly id: string;
  /** True if a previous owner of the session has already emitted the message. */
  readonly isReported: boolean;
  /** The tool call of a request that a previous owner has emitted, if known. */
  readonly callId: string | undefined;
};

/** Returns a session's hook settings. These hooks run in addition to the user's own. */
export function hookSettings(
  { script, hooks }: ScreenFiles,
  policy: Pick<ConnectRequest, "permissions" | "plan">,
): Record<string, unknown[]> {
  const entry = (...more: string[]) => {
    const command = [script, hooks, ...more].map(quoteForShell).join(" ");
    return { hooks: [{ type: "command", command, timeout: A_DAY_S }] };
  };
  return {
    SessionStart: [entry()],
    UserPromptSubmit: [entry()],
    Notification: [entry()],
    PreToolUse: [entry(), ...(requiresCommandPermission(policy) ? [requireCommandPermission] : [])],
    PermissionRequest: [entry("wait")],
  };
}

const A_DAY_S = 86_400;

/**
 * Makes Claude request permission for every command, including commands that it considers harmless. A rule in its
 * settings has the same effect, but then only the dialog can answer, not the hook.
 */
const requireCommandPermission = {
  matcher: commandTools.join("|"),
  hooks: [{ type: "command", command: `echo ${quoteForShell(JSON.stringify(askDecision()))}` }],
};

function askDecision() {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };
}

/**
 * Yields each hook message once, in order. The first batch contains the messages that already exist. Deletes message
 * files that a later attach does not need.
 */
export async function* hookMessages(
  directory: string,
  signal: AbortSignal,
): AsyncGenerator<readonly HookMessage[]> {
  const seen = new Set<string>();
  const wake = new Wake();
  const notify = () => wake.notify();
  const watcher = watch(directory, { persistent: false }, notify);
  watcher.on("error", notify); // after an error, the timer still polls
  const timer = setInterval(notify, LOOK_EVERY_MS).unref();
  const forget = wake.notifyAt(signal);
  try {
    while (!signal.aborted) {
      const { version } = wake;
      const files = await newFiles(directory, seen);
      const messages = await Promise.all(files.map((file) => read(directory, file)));
      yield messages.filter((message) => message !== undefined);
      await wake.after(version);
    }
  } finally {
    watcher.close();
    clearInterval(timer);
    forget();
  }
}

/** The polling interval in milliseconds. Polling is needed because file watchers can miss changes. */
const LOOK_EVERY_MS = 200;

async function newFiles(directory: string, seen: Set<string>): Promise<string[]> {
  const all = await readdir(directory).catch(() => []); // the directory does not exist after the session has ended
  const names = all.filter((name) => name.endsWith(".json") && !seen.has(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: await changedAt(join(directory, name)) })),
  );
  for (const name of names) seen.add(name);
  return dated.sort((a, b) => a.at - b.at).map(({ name }) => name);
}

function changedAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function read(directory: string, file: string): Promise<HookMessage | undefined> {
  const id = basename(file, ".json");
  const path = join(directory, file);
  // fails if the message has been answered, because the hook then deletes its file
  const text = await readFile(path, "utf8").catch(() => "null");
  const message = HookMessage.safeParse(parse(text)).data;
  if (!existsSync(answerFile(directory, id))) await rm(path, { force: true });
  const reported = await readFile(reportedFile(directory, id), "utf8").catch(() => undefined);
  return (
    message && { ...message, id, isReported: reported !== undefined, callId: reported || undefined }
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the hook was killed while it wrote the file
  }
}

/** Marks a request as emitted and records its tool call, for a later attach. */
export async function markReported(
  directory: string,
  { nativeId, callId = "" }: Pick<RequestDraft, "nativeId" | "callId">,
): Promise<void> {
  const file = reportedFile(directory, nativeId);
  await writeFile(file, callId, { mode: 0o600 }).catch(() => {}); // fails if the session has ended
}

/**
 * Ends a waiting hook, with a decision in Claude's format or without one. Has no effect if the hook no longer waits.
 */
export async function answerHook(
  directory: string,
  id: string,
  decision?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
  // without O_NONBLOCK, open() would block if the hook has exited
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  const pipe = await open(answerFile(directory, id), flags).catch(() => undefined);
  await pipe?.writeFile(`${decision ? JSON.stringify(output) : ""}\n`).finally(() => pipe.close());
}

const answerFile = (directory: string, id: string): string => join(directory, `${id}.answer`);
const reportedFile = (directory: string, id: string): string => join(directory, `${id}.reported`);
