import { expect, test } from "vitest";
import { expectWhole } from "../../test/cluster/checks.ts";
import { ClusterScene } from "../../test/cluster/scene.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import type { Store, Writer } from "../contracts/store.ts";
import { newTurnId } from "../errors/require-id.ts";
import { openJetStreamStore } from "../stores/jetstream/store.ts";
import { sampleProcess } from "../testing/sample-session.ts";

test("attaches again to a session that another machine claimed during a restart and released", async () => {
  await using scene = await ClusterScene.open();
  const { client, session, store } = await begin(scene);
  await scene.signal("one", "SIGKILL");
  const writer = await claimOnTwo(scene, store, session);
  await scene.work("one");
  await writer.release();
  await expectAttached(client, session);
});

test("attaches again to a session that another machine claimed and released while the session's machine was paused", async () => {
  await using scene = await ClusterScene.open();
  const { client, session, store } = await begin(scene);
  await scene.signal("one", "SIGSTOP");
  await (await claimOnTwo(scene, store, session)).release();
  await scene.signal("one", "SIGCONT");
  await expectAttached(client, session);
});

async function begin(
  scene: ClusterScene,
): Promise<{ client: Halyard; session: Session; store: Store }> {
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const request = { runtime: "fake", permissions: "allow-all", on: "one", cwd: scene.cwd } as const;
  const session = await client.start(request);
  await session.send("say first").outcome;
  return { client, session, store: await openJetStreamStore(await scene.connect()) };
}

/** Claims a session for the second machine, as a takeover does before it restores the files. */
async function claimOnTwo(scene: ClusterScene, store: Store, { id }: Session): Promise<Writer> {
  const two = (await scene.nodes()).find(({ machine }) => machine === "two");
  const { owner = null } = (await store.find(id)) ?? {};
  return store.claim(id, two?.identity ?? sampleProcess(1), owner);
}

/** Expects that the first machine runs the session again, although no client resumes it. */
async function expectAttached(client: Halyard, { id }: Session): Promise<void> {
  const turnId = newTurnId();
  await expect
    .poll(async () => {
      const session = await client.session(id);
      return session.send("say back", { id: turnId }).accepted.then(({ status }) => status);
    })
    .not.toBe("failed");
  const session = await client.session(id);
  expect(await session.send("recall").outcome).toMatchObject({ text: "say first" });
  expect(session.info.machine).toBe("one");
  await expectWhole(client, id);
}
