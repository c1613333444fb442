import { createHash } from "node:crypto";
import { reasonOf } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import type { HookSettings } from "../../schema/hook.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Hook, HookContext } from "./open-sink.ts";
import type { HookSink } from "./sink.ts";

/** Returns the sinks of a session. Calls `onProblem` with the reason for each hook that cannot be opened. */
export type SinkSource = (
  session: SessionInfo,
  onProblem: (problem: string) => void,
) => Promise<readonly HookSink[]>;

/** The hooks of all sessions, and a function that returns the additional hooks of one session. */
export interface HookSource {
  readonly always: readonly Hook[];
  also(session: SessionInfo): Promise<readonly Hook[]>;
}

/**
 * Creates the function that returns the sinks of a session. Equal hooks in the same working directory share one sink.
 * Rejects if a hook of all sessions is invalid; an invalid hook of a single session is reported and skipped.
 */
export async function createSinkSource(
  { always, also }: HookSource,
  options: Omit<HookContext, "cwd">,
): Promise<SinkSource> {
  const opened = new Map<unknown, HookSink>();
  const open = async (
    hooks: readonly Hook[],
    cwd: string,
    refuse: (error: unknown) => void,
  ): Promise<HookSink[]> => {
    if (hooks.length === 0) return []; // most sessions have no hooks, so the sinks are not loaded
    const { openSink } = await import("./open-sink.ts");
    return hooks.flatMap((hook) => {
      const key = typeof hook === "function" ? hook : textOf(hook, cwd);
      try {
        const sink = opened.get(key) ?? {
          ...openSink(hook, { ...options, cwd }),
          ...idOf(hook, cwd),
        };
        opened.set(key, sink);
        return [sink];
      } catch (error) {
        refuse(error);
        return [];
      }
    });
  };
  await open(always, "/", (error) => {
    throw error;
  });
  return async (session, onProblem) =>
    open([...always, ...(await also(session))], session.cwd, (error) =>
      onProblem(`${sentence(reasonOf(error))} The hook receives no events of ${session.id}.`),
    );
}

/**
 * Returns the id of a webhook's sink. Other sinks have no id: their payloads are not stored, because another process
 * could deliver them a second time.
 */
function idOf(hook: Hook, cwd: string): Pick<HookSink, "id"> {
  if (typeof hook === "function" || !("url" in hook)) return {};
  return { id: createHash("sha256").update(textOf(hook, cwd)).digest("hex").slice(0, 32) };
}

function textOf(hook: HookSettings, cwd: string): string {
  return JSON.stringify([cwd, hook]);
}
