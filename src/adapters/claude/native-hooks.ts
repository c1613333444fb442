import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Output } from "../../core/adapter.ts";
import type { EventDraft } from "../../core/draft.ts";
import { quoteForShell } from "../../core/quote-for-shell.ts";

/**
 * Adds hooks by which Claude reports how its session began and how it ended, beside the hooks that are there already.
 * Claude passes on the standard error of its hooks, but not at its end: that hook writes to a file.
 */
export function withNativeHooks(given: unknown, endFile: string): Record<string, unknown> {
  const hooks = Hooks.safeParse(given).data ?? {};
  const ours = (command: string) => ({ hooks: [{ type: "command", command }] });
  return {
    ...hooks,
    SessionStart: [...(hooks.SessionStart ?? []), ours("cat >&2")],
    SessionEnd: [...(hooks.SessionEnd ?? []), ours(`cat > ${quoteForShell(endFile)}`)],
  };
}

/** Returns what a hook of ours reported, or nothing if the text is another hook's. */
export function nativeHookDrafts(text: string): EventDraft[] {
  const { data: reported } = Reported.safeParse(jsonIn(text));
  return reported ? reportedDrafts(reported) : [];
}

/** Returns what a message of a hook means for the log. */
export function reportedDrafts(reported: Reported): EventDraft[] {
  const hook = reported.hook_event_name;
  switch (hook) {
    case "SessionStart": {
      const { source, transcript_path: transcriptPath, model } = reported;
      return [status({ hook, source, transcriptPath, model })];
    }
    case "SessionEnd":
      // After /clear the session goes on.
      return reported.reason === "clear" ? [] : [status({ hook, endReason: reported.reason })];
    case "Notification": {
      const { message: text, notification_type: notificationType } = reported;
      return [status({ hook, notificationType }, text)];
    }
  }
}

/** The output of Claude, and after it what the hook of its end has reported. */
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

/** Returns what the hook of Claude's end has reported. A Claude that was killed has run no hook. */
export async function nativeEnd(endFile: string): Promise<EventDraft[]> {
  return nativeHookDrafts(await readFile(endFile, "utf8").catch(() => ""));
}

const Hooks = z.record(z.string(), z.array(z.unknown()));

/** The messages of Claude's hooks that the log has from nowhere else. */
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
    return undefined; // another hook's words
  }
}
