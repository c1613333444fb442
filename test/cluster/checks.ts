import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionInfo } from "../../src/schema/session.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";

/** Reads a session every 100 ms until it satisfies the condition. */
export async function untilInfo(
  client: Halyard,
  id: string,
  isReached: (info: SessionInfo) => boolean,
): Promise<void> {
  for (;;) {
    const info = await client.find(id);
    if (info && isReached(info)) return;
    await setTimeout(100);
  }
}

/** Resolves when the session is saved after its last turn, so that another machine can continue it. */
export function untilSaved(client: Halyard, id: string): Promise<void> {
  return untilInfo(
    client,
    id,
    ({ checkpoint }) => checkpoint !== undefined && checkpoint.missingTurnId === undefined,
  );
}

/** Expects consecutive events, and one completion for each turn. */
export async function expectWhole(client: Halyard, id: string): Promise<void> {
  const events: StreamEvent[] = await collect(client.events(id, { follow: false }));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const turns = events.filter(
    (event) => event.type === "system" && event.subtype === "turn_started",
  );
  const ends = events.filter(({ type }) => type === "completion");
  expect(ends.map(({ turnId }) => turnId)).toEqual(turns.map(({ turnId }) => turnId));
}
