import { z } from "zod";
import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SessionId } from "../../schema/id.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const Events = z.strictObject({
  session_id: SessionId,
  since_index: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe("Return only events after this index."),
  max_events: z.number().int().positive().max(1000).default(200),
  wait_ms: z
    .number()
    .int()
    .nonnegative()
    .max(60_000)
    .default(0)
    .describe("Maximum time to wait for an event if there is none yet, in milliseconds."),
  include_children: z
    .boolean()
    .default(false)
    .describe(
      "Include the events of child sessions. The index is then a position among the events of all sessions.",
    ),
  include_deltas: z.boolean().default(false).describe("Include message chunks."),
});
type Events = z.output<typeof Events>;

const Log = Events.pick({ since_index: true, max_events: true }).extend({
  contains: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Return only events that contain this text. Case is ignored."),
});

interface Indexed {
  readonly index: number;
  readonly event: StreamEvent;
}

/** Creates the tool that reads events. */
export function eventTools({ halyard }: McpContext): Tool[] {
  return [
    defineTool("session_events", {
      description:
        "Read the events of a session after an index: messages, tool calls and results, completions, errors. Pass last_index to the next call.",
      input: Events,
      effect: "reads",
      run: async (input) => readEvents(await halyard(), input),
    }),
  ];
}

/** Creates the tool that reads the log of one session, for the agent that continues the session's work. */
export function logTool(id: SessionId, halyard: McpContext["halyard"]): Tool {
  return defineTool("session_log", {
    description: `Read the log of session ${id}, whose work you continue: messages, tool calls and results, completions. Pass last_index to the next call.`,
    input: Log,
    effect: "reads",
    run: async (input) => {
      const reading = {
        session_id: id,
        wait_ms: 0,
        include_children: false,
        include_deltas: false,
      };
      return readEvents(await halyard(), { ...reading, ...input });
    },
  });
}

async function readEvents(
  halyard: Halyard,
  input: Events & { readonly contains?: string },
): Promise<Record<string, unknown>> {
  const { session_id: id, since_index: since, max_events: most, wait_ms: waitMs } = input;
  const info = await halyard.find(id);
  if (!info)
    throw new HalyardError(
      "session_not_found",
      `Session ${id} not found. Call session_list to list sessions.`,
    );
  const read = input.include_children ? ofTree : ofSession;
  const shown: Indexed[] = [];
  const sought = input.contains?.toLowerCase();
  let last = since;
  const take = async (source: AsyncIterable<Indexed>): Promise<void> => {
    for await (const { index, event } of source) {
      last = index;
      if (event.type === "delta" && !input.include_deltas) continue;
      if (sought !== undefined && !textOf(event).includes(sought)) continue;
      shown.push({ index, event });
      if (shown.length >= most) return;
    }
  };
  await take(read(halyard, info, { after: since, follow: false }));
  if (shown.length === 0 && waitMs > 0) {
    const signal = AbortSignal.timeout(waitMs);
    const later = read(halyard, info, { after: last, follow: true, signal });
    for await (const first of later) {
      if (first.event.type === "delta" && !input.include_deltas) continue;
      await take(read(halyard, info, { after: first.index - 1, follow: false }));
      break;
    }
  }
  const now = (await halyard.find(id)) ?? info;
  const { state, error, turns } = now;
  return {
    session_id: id,
    status: state,
    last_index: last,
    events: shown.map(({ index, event }) => ({ index, ...event })),
    completed: state === "idle" && openTurnOf(now) === undefined && turns > 0,
    failed: state === "failed" || state === "lost",
    ...(error && { error }),
    dropped_events: 0, // always 0, because the log is complete
  };
}

function textOf(event: StreamEvent): string {
  return JSON.stringify(event).toLowerCase();
}

interface Following {
  readonly after: number;
  readonly follow: boolean;
  readonly signal?: AbortSignal;
}

async function* ofSession(
  halyard: Halyard,
  { id: sessionId }: SessionInfo,
  following: Following,
): AsyncGenerator<Indexed> {
  for await (const event of halyard.events(sessionId, following)) yield { index: event.seq, event };
}

/** Yields the events of a session and its descendants, including descendants that are started during the read. */
async function* ofTree(
  halyard: Halyard,
  root: SessionInfo,
  following: Following,
): AsyncGenerator<Indexed> {
  const isBelow = new Map<SessionId, boolean>([[root.id, true]]);
  const below = async (id: SessionId): Promise<boolean> => {
    const decided = isBelow.get(id);
    if (decided !== undefined) return decided;
    const parent = (await halyard.find(id))?.parent;
    const answer = parent !== undefined && (await below(parent));
    isBelow.set(id, answer);
    return answer;
  };
  for await (const { position, event } of halyard.allEvents(following))
    if (await below(event.sessionId)) yield { index: position, event };
}
