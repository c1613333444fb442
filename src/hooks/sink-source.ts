import type { SessionInfo } from "../schema/session.ts";
import { type Hook, type HookPlace, openSink } from "./open-sink.ts";
import type { HookSink } from "./sink.ts";

/** Who is to be told of a session. */
export type SinkSource = (session: SessionInfo) => Promise<readonly HookSink[]>;

/** The hooks of every session, and those that may differ from one to the next. */
export interface HookSource {
  readonly always: readonly Hook[];
  also(session: SessionInfo): Promise<readonly Hook[]>;
}

/** The sinks of hooks; what is the same hook is the same sink. One of every session that makes no sense is refused. */
export function createSinkSource(
  { always, also }: HookSource,
  place: Omit<HookPlace, "cwd">,
): SinkSource {
  for (const hook of always) openSink(hook, { ...place, cwd: "/" });
  const opened = new Map<unknown, HookSink>();
  return async (session) => {
    const { cwd } = session;
    return [...always, ...(await also(session))].map((hook) => {
      const key = typeof hook === "function" ? hook : JSON.stringify([cwd, hook]);
      const sink = opened.get(key) ?? openSink(hook, { ...place, cwd });
      opened.set(key, sink);
      return sink;
    });
  };
}
