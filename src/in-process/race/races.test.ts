import { expect, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createHalyard } from "../../create-halyard.ts";
import { newRaceId } from "../../errors/require-id.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

async function openScene() {
  const { root: cwd } = await newRepository();
  const home = await temporaryDirectory();
  const open = () => createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const racer = { runtime: "fake", cwd, permissions: "allow-all" } as const;
  return { open, racer, racers: [racer, racer] };
}

test("cancels running races on disposal, and the next process reports them as lost", async () => {
  const { open, racers } = await openScene();
  const halyard = await open();
  const { id } = await halyard.races.start({ prompt: "wait", racers, concurrency: 1 });
  for await (const race of halyard.races.watch(id)) if (race.racers[0]?.state === "running") break;
  const last = halyard.races.watch(id, { after: 0 });
  await halyard[Symbol.asyncDispose]();
  const states = [];
  for await (const { state } of last) states.push(state);
  expect(states).toEqual(["cancelled"]);
  await expect(halyard.races.start({ prompt: "say hi", racers })).rejects.toMatchObject({
    code: "invalid_input",
  });
  await expect(halyard.races.find(id)).resolves.toMatchObject({ state: "cancelled" });

  await using second = await open();
  expect(await second.races.find(id)).toMatchObject({
    id,
    state: "lost",
    revision: 0,
    racers: [{ runtime: "fake", state: "done", outcome: "cancelled" }],
  });
});

test("reports a race as lost, without a winner, if its process exited before the race ended", async () => {
  const { open, racer, racers } = await openScene();
  const id = newRaceId();
  const first = await open();
  const session = await first.start({ ...racer, labels: { race: id } });
  await session.send("say hi").outcome;
  await first[Symbol.asyncDispose]();

  await using second = await open();
  const states = [];
  for await (const race of second.races.watch(id)) states.push(race);
  expect(states).toMatchObject([
    { id, state: "lost", racers: [{ sessionId: session.id, outcome: "completed" }] },
  ]);
  expect(states[0]).not.toHaveProperty("winner");
  expect(await second.races.cancel(id)).toMatchObject({ state: "lost" });
  expect(await second.races.start({ id, prompt: "say hi", racers })).toMatchObject({
    state: "lost",
  });
  expect(await second.sessions()).toHaveLength(1);
});
