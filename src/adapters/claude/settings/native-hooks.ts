import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Output } from "../../../contracts/adapter.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { quoteForShell } from "../../../programs/quote-for-shell.ts";

/**
 * Adds hooks that report the start and the end of Claude's session to the existing hooks. Claude forwards the stderr of
 * hooks, but not during its own exit. Therefore, the SessionEnd hook writes to a file.
 */
export function withNativeHooks(given: unknown, endFile: string): Record<string, unknown> {
  const hooks = Hooks.safeParse(given).data ?? {};
  const commandHook = (command: string) => ({ hooks: [{ type: "command", command }] });
  return {
    ...hooks,
    SessionStart: [...(hooks.SessionStart ?? []), commandHook("cat >&2")],
    SessionEnd: [...(hooks.SessionEnd ?? []), commandHook(`cat > ${quoteForShell(endFile)}`)],
  };
}

/** Maps the output of Halyard's hooks to drafts. Returns an empty array for other hooks' output. */
export function nativeHookDrafts(text: string): EventDraft[] {
  const { data: reported } = Reported.safeParse(jsonIn(text));
  return reported ? reportedDrafts(reported) : [];
}

/** Maps a hook message to drafts. Returns an empty array for the end of a session after /clear. */
export function reportedDrafts(reported: Reported): EventDraft[] {
  const hook = reported.hook_event_name;
  switch (hook) {
    case "SessionStart": {
      const { source, transcript_path: transcriptPath, model } = reported;
      return [status({ hook, source, transcriptPath, model })];
    }
    case "SessionEnd":
      // After /clear, the session continues.
      return reported.reason === "clear" ? [] : [status({ hook, endReason: reported.reason })];
    case "Notification": {
      const { message: text, notification_type: notificationType } = reported;
      return [status({ hook, notificationType }, text)];
    }
  }
}

/** Yields Claude's output. If the output ends with an error, yields the SessionEnd hook's message before throwing the error. */
export async function* withNativeEnd(
  output: AsyncIterable<readonly Output[]>,
  endFile: string,
): AsyncGenerator<readonly Output[]> {
  try {
    yield* output;
  } catch (error) {
    const drafts = await nativeEnd(endFile);
    if (drafts.length > 0) yield [{ drafts }];
    throw error;
  }
}

/** Maps the SessionEnd hook's message to drafts. Returns an empty array if the hook did not run or was killed. */
export async function nativeEnd(endFile: string): Promise<EventDraft[]> {
  return nativeHookDrafts(await readFile(endFile, "utf8").catch(() => ""));
}

const Hooks = z.record(z.string(), z.array(z.unknown()));

/** The hook messages with information that no other message contains. */
export const Reported = z.discriminatedUnion("hook_event_name", [
  z.looseObject({
    hook_event_name: z.literal("SessionStart"),
    source: z.string(),
    transcript_path: z.string().optional(),
    model: z.string().optional(),
  }),
  z.looseObject({ hook_event_name: z.literal("SessionEnd"), reason: z.string() }),
  z.looseObject({
    hook_event_name: z.literal("Notification"),
    message: z.string(),
    notification_type: z.string().optional(),
  }),
]);
type Reported = z.infer<typeof Reported>;

function status(data: Readonly<Record<string, string | undefined>>, text?: string): EventDraft {
  const known = Object.fromEntries(Object.entries(data).filter(([, value]) => value));
  return { type: "system", subtype: "status", ...(text && { text }), data: known };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // another hook's output
  }
}
