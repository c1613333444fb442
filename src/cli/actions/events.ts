import { findSession } from "../../core/find-session.ts";
import { openNearby } from "../open-nearby.ts";
import { createEventOutput } from "../output/event-output.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface EventsOptions {
  readonly format: "text" | "json";
  readonly after: number;
  readonly follow?: boolean;
}

export async function events(session: string, options: EventsOptions): Promise<number> {
  const terminal = openTerminal();
  const { format, after, follow = false } = options;
  await using halyard = await openNearby(terminal);
  const { id: sessionId } = await findSession(halyard, session);
  const output = await createEventOutput(format, terminal, { echo: true });
  const signal = terminal.out.closed;
  for await (const event of halyard.events({ sessionId, after, follow, signal }))
    await output.write(event);
  throwIfUnwritable(terminal);
  return 0;
}
