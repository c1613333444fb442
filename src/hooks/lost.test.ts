import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoredEvent } from "../contracts/store.ts";
import { createHalyard } from "../create-halyard.ts";
import { newTurnId } from "../errors/require-id.ts";
import { project } from "../log/projection.ts";
import type { HookPayload } from "../schema/hook.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { sampleBlock, sampleProcess, sampleSession } from "../testing/sample-session.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/** Creates a home with two sessions of a dead process. A turn was running in the second session. */
async function openHome() {
  const home = await temporaryDirectory();
  const store = await openSqliteStore(join(home, "halyard.db"));
  const [idle, busy] = [sampleSession(), sampleSession({ labels: { "gt.rig": "greenplace" } })];
  await store.create(idle, sampleProcess(1));
  const writer = await store.create(busy, sampleProcess(1));
  const turnId = newTurnId();
  const begun: StoredEvent = { type: "system", subtype: "turn_started", text: "work" };
  const info = project(busy, [begun], { at: busy.createdAt, turnId });
  await writer.append(sampleBlock(busy, [begun], { turnId, info }));
  await store[Symbol.asyncDispose]();
  return { home, idle: idle.id, busy: busy.id, turnId };
}

test("delivers OnError and SessionStop once for each session that is found lost after a crash", async () => {
  const { home, idle, busy, turnId } = await openHome();
  const received: HookPayload[] = [];
  const look = async () => {
    const hooks = [(payload: HookPayload) => void received.push(payload)];
    const halyard = await createHalyard({ home, env: {}, hooks });
    await halyard[Symbol.asyncDispose]();
  };
  await Promise.all([look(), look(), look()]);
  await look();
  const of = (id: string) =>
    received
      .filter(({ session_id }) => session_id === id)
      .map(({ event, data }) => [event, data.code ?? data.state, data.turn_id]);
  expect(of(idle)).toEqual([
    ["OnError", "lost", undefined],
    ["SessionStop", "lost", undefined],
  ]);
  expect(of(busy)).toEqual([
    ["OnError", "lost", turnId],
    ["SessionStop", "lost", undefined],
  ]);
  expect(received).toHaveLength(4);
  expect(received.find(({ session_id }) => session_id === busy)).toMatchObject({
    rig: "greenplace",
  });
});
