import { z } from "zod";
import type { EventDraft } from "../../core/draft.ts";

/**
 * Hooks that have Claude tell us, beside those that are there already, how its session began: what a hook writes to
 * standard error comes to us and to nobody else.
 */
export function withNativeHooks(given: unknown): Record<string, unknown> {
  const hooks = Hooks.safeParse(given).data ?? {};
  const ours = { hooks: [{ type: "command", command: "cat >&2" }] };
  return { ...hooks, SessionStart: [...(hooks.SessionStart ?? []), ours] };
}

/** What a hook of ours was told, or nothing where it was another's. */
export function nativeHookDrafts(stderr: string): EventDraft[] {
  const told = Told.safeParse(jsonIn(stderr)).data;
  if (!told) return [];
  const { source, transcript_path: transcriptPath, model } = told;
  const known = Object.entries({ source, transcriptPath, model }).filter(([, value]) => value);
  const data = { hook: "SessionStart", ...Object.fromEntries(known) };
  return [{ type: "system", subtype: "status", data }];
}

const Hooks = z.record(z.string(), z.array(z.unknown()));

const Told = z.looseObject({
  hook_event_name: z.literal("SessionStart"),
  source: z.string(),
  transcript_path: z.string().optional(),
  model: z.string().optional(),
});

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // somebody else's words
  }
}
