import type { Halyard, Session } from "../core/halyard.ts";
import { gasTownLabels } from "../schema/gas-town.ts";
import type { SessionId } from "../schema/id.ts";
import type { StartRequest } from "../schema/session.ts";
import { SessionTeller } from "./session-teller.ts";
import type { HookSink } from "./sink.ts";
import type { SinkSource } from "./sink-source.ts";

/** How hooks are told. */
export interface HookOptions {
  /** Hears of what a sink could not be told, and why; nothing else does. */
  readonly onProblem: (problem: string) => void;
  /** What the Halyard does with its live sessions when it is disposed of: `stop` unless given. */
  readonly onDispose?: "stop" | "detach";
  /** How long disposing waits for what is still to be told: five seconds unless given. */
  readonly drainMs?: number;
}

/**
 * The same Halyard, whose own sessions are told of to the sinks: each start, message, error and stop at most once, in
 * the order of the log, by the process that runs the session and by no other. No turn waits for a sink.
 */
export function withHooks(
  halyard: Halyard,
  sinks: readonly HookSink[] | SinkSource,
  { onProblem, onDispose = "stop", drainMs = 5_000 }: HookOptions,
): Halyard {
  const sinksOf = typeof sinks === "function" ? sinks : async () => sinks;
  const teller = new SessionTeller(sinksOf, onProblem);
  const follow = (session: Session): Session => {
    teller.follow(session);
    return session;
  };
  let disposing: Promise<void> | undefined;
  const dispose = async (): Promise<void> => {
    await teller.close({ onDispose, drainMs });
    await halyard[Symbol.asyncDispose]();
  };
  return {
    runtimes: () => halyard.runtimes(),
    examine: (runtime) => halyard.examine(runtime),
    start: async (request) => follow(await halyard.start(labelled(request))),
    resume: async (id: SessionId, options) => follow(await halyard.resume(id, options)),
    session: (id) => halyard.session(id),
    find: (id) => halyard.find(id),
    sessions: (filter) => halyard.sessions(filter),
    events: (filter) => halyard.events(filter),
    allEvents: (options) => halyard.allEvents(options),
    batches: (filter) => halyard.batches(filter),
    update: (id, changes) => halyard.update(id, changes),
    remove: async (id) => {
      await teller.stop(id, "removed");
      await halyard.remove(id);
    },
    processes: () => halyard.processes(),
    reap: () => halyard.reap(),
    [Symbol.asyncDispose]: () => {
      disposing ??= dispose();
      return disposing;
    },
  };
}

/** What hooks say of a session has to be on record, for whoever resumes it. */
function labelled(request: StartRequest): StartRequest {
  const labels = { ...gasTownLabels(request.env ?? {}), ...request.labels };
  return { ...request, labels };
}
