import { findSession } from "../../halyard/find-session.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { createEventOutput } from "../output/event-output.ts";

export interface EventsOptions {
  readonly format: "text" | "json";
  readonly after: number;
  readonly follow?: boolean;
}

export async function events(session: string, options: EventsOptions): Promise<number> {
  const console = openConsole();
  const { format, after, follow = false } = options;
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const { id: sessionId } = await findSession(halyard, session);
  const output = await createEventOutput(format, console, { echo: true });
  const signal = console.out.closed;
  for await (const event of halyard.events(sessionId, { after, follow, signal }))
    await output.write(event);
  throwIfUnwritable(console);
  return 0;
}
