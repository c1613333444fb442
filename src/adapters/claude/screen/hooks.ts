import { constants, existsSync, watch } from "node:fs";
import { open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { ConnectRequest } from "../../../core/adapter.ts";
import { quoteForShell } from "../../../core/quote-for-shell.ts";
import { Wake } from "../../../core/wake.ts";
import { asksForCommands, commandTools } from "../policy.ts";
import type { ScreenFiles } from "./files.ts";

/** What Claude tells a hook, as far as we read it. */
const HookMessage = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string().optional(),
  permission_mode: z.string().optional(),
  prompt: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
});
export type HookMessage = z.infer<typeof HookMessage> & {
  /** Which of the hook's files it came in. */
  readonly id: string;
  /** Somebody before us has passed it on already. */
  readonly isTold: boolean;
};

/** The hooks of a session. They run beside the user's own. */
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
    PermissionRequest: [entry("wait")],
    ...(asksForCommands(policy) && { PreToolUse: [askForCommands] }),
  };
}

const A_DAY_S = 86_400;

/**
 * Has Claude ask for every command, also for those that it takes for harmless. A rule in its settings would do the same,
 * but then only its dialog could be answered, and not the hook.
 */
const askForCommands = {
  matcher: commandTools.join("|"),
  hooks: [{ type: "command", command: `echo ${quoteForShell(JSON.stringify(asking()))}` }],
};

function asking() {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };
}

/**
 * Every message of a hook once, in order, in batches of what was there at once; those from before are the first batch.
 * What need not be read again is not kept.
 */
export async function* hookMessages(
  directory: string,
  signal: AbortSignal,
): AsyncGenerator<readonly HookMessage[]> {
  const seen = new Set<string>();
  const bell = new Wake();
  const ring = () => bell.notify();
  const watcher = watch(directory, { persistent: false }, ring);
  watcher.on("error", ring); // the clock goes on
  const clock = setInterval(ring, LOOK_EVERY_MS).unref();
  const forget = bell.notifyAt(signal);
  try {
    while (!signal.aborted) {
      const { version } = bell;
      const files = await newFiles(directory, seen);
      const messages = await Promise.all(files.map((file) => read(directory, file)));
      yield messages.filter((message) => message !== undefined);
      await bell.after(version);
    }
  } finally {
    watcher.close();
    clearInterval(clock);
    forget();
  }
}

/** Changes may go unreported. */
const LOOK_EVERY_MS = 200;

async function newFiles(directory: string, seen: Set<string>): Promise<string[]> {
  const all = await readdir(directory).catch(() => []); // the session is over
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
  const text = await readFile(path, "utf8").catch(() => "null"); // answered, and gone by now
  const told = HookMessage.safeParse(parse(text)).data;
  if (!existsSync(answerFile(directory, id))) await rm(path, { force: true });
  return told && { ...told, id, isTold: existsSync(toldFile(directory, id)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the hook was ended before it could write all of it
  }
}

/** Has whoever takes up the session after us know that this was passed on. */
export async function markTold(directory: string, id: string): Promise<void> {
  await writeFile(toldFile(directory, id), "", { mode: 0o600 }).catch(() => {}); // the session is over
}

/** Lets a hook go that waits, with the answer in Claude's words, or without one. Where it waits no more, nothing is done. */
export async function answerHook(
  directory: string,
  id: string,
  decision?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
  const flags = constants.O_WRONLY | constants.O_NONBLOCK; // or we would wait for a reader that is gone
  const pipe = await open(answerFile(directory, id), flags).catch(() => undefined);
  await pipe?.writeFile(`${decision ? JSON.stringify(output) : ""}\n`).finally(() => pipe.close());
}

const answerFile = (directory: string, id: string): string => join(directory, `${id}.answer`);
const toldFile = (directory: string, id: string): string => join(directory, `${id}.told`);
