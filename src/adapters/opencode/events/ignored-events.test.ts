import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { OpenCodeEvent } from "../messages.ts";
import { isIgnored, unwrapEvent } from "./envelope.ts";
import { createMapper } from "./events.ts";

function recording(name: string): unknown[] {
  const file = new URL(`../fixtures/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

function told(events: readonly unknown[]): EventDraft[] {
  const mapper = createMapper();
  return [...events.flatMap((event) => mapper.map(event)), ...mapper.flush()];
}

const hasType = (event: unknown, type: string) =>
  JSON.stringify(event).includes(`"type":"${type}"`);

test("every event type in the recordings is declared in OpenCodeEvent or ignored [s3.protocol.event-types]", () => {
  const declared = new Set<string>(OpenCodeEvent.options.map(({ shape }) => shape.type.value));
  expect(declared).toContain("message.part.updated");
  expect(declared).toContain("session.idle");
  const files = readdirSync(new URL("../fixtures/", import.meta.url));
  const events = files.flatMap((file) => recording(file.replace(".jsonl", ""))).map(unwrapEvent);
  const unknown = events.flatMap((event) => {
    const type = typeof event === "object" && event && "type" in event ? String(event.type) : "";
    return type.includes(".") && !declared.has(type) && !isIgnored(event) ? [type] : [];
  });
  expect([...new Set(unknown)]).toEqual([]);
});

const turns = recording("two-turns");
const serverEvents = ["server.connected", "server.heartbeat"].map((type) => ({
  type,
  properties: {},
}));

test.each(serverEvents)(
  "emits nothing for $type at any position [s3.noise.server-connected] [s3.noise.server-heartbeat] [s3.noise.at-the-source]",
  (noise) => {
    const noisy = turns.flatMap((event) => [noise, event, noise]);
    expect(told(noisy)).toEqual(told(turns));
  },
);

test("emits nothing for a message update without parts [s3.noise.message-updated]", () => {
  const mapper = createMapper();
  const updates = turns.filter((event) => hasType(event, "message.updated"));
  expect(updates.length).toBeGreaterThan(4);
  const drafts = turns.map((event) => ({ event, told: mapper.map(event) }));
  for (const { event, told } of drafts)
    if (hasType(event, "message.updated")) expect(told).toEqual([]);
});

test("emits one completion per turn, although OpenCode reports idle repeatedly [s3.noise.duplicate-idle]", () => {
  const isIdle = (event: unknown) => hasType(event, "session.idle") || hasType(event, "idle");
  expect(turns.filter(isIdle)).toHaveLength(4);
  const doubled = turns.flatMap((event) => (isIdle(event) ? [event, event] : [event]));
  const ends = told(doubled).filter(({ type }) => type === "completion");
  expect(ends).toHaveLength(2);
  expect(told(doubled)).toEqual(told(turns));
});

test("emits one event at the start and one at the end of each step [s3.events.system]", () => {
  const steps = turns.filter(
    (event) => hasType(event, "step-start") || hasType(event, "step-finish"),
  );
  expect(steps.length).toBeGreaterThan(3);
  const doubled = turns.flatMap((event) => (steps.includes(event) ? [event, event] : [event]));
  const reported = told(doubled).flatMap((draft) =>
    draft.type === "system" && draft.subtype === "step" ? [draft.data?.state] : [],
  );
  expect(reported).toEqual(steps.map((_, at) => (at % 2 === 0 ? "started" : "finished")));
});
