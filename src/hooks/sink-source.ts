import { reasonOf } from "../core/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Hook, HookPlace } from "./open-sink.ts";
import type { HookSink } from "./sink.ts";

/** Who is to be told of a session; `onProblem` hears of whom cannot be, and why. */
export type SinkSource = (
  session: SessionInfo,
  onProblem: (problem: string) => void,
) => Promise<readonly HookSink[]>;

/** The hooks of every session, and those that may differ from one to the next. */
export interface HookSource {
  readonly always: readonly Hook[];
  also(session: SessionInfo): Promise<readonly Hook[]>;
}

/**
 * The sinks of hooks; what is the same hook is the same sink. One of every session that makes no sense is refused, and
 * one of some sessions is left out of them.
 */
export async function createSinkSource(
  { always, also }: HookSource,
  place: Omit<HookPlace, "cwd">,
): Promise<SinkSource> {
  const opened = new Map<unknown, HookSink>();
  const open = async (
    hooks: readonly Hook[],
    cwd: string,
    refuse: (error: unknown) => void,
  ): Promise<HookSink[]> => {
    if (hooks.length === 0) return []; // as it is in most places
    const { openSink } = await import("./open-sink.ts");
    return hooks.flatMap((hook) => {
      const key = typeof hook === "function" ? hook : JSON.stringify([cwd, hook]);
      try {
        const sink = opened.get(key) ?? openSink(hook, { ...place, cwd });
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
      onProblem(`${reasonOf(error)}; it is not told of ${session.id}`),
    );
}
