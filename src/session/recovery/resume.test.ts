import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Adapter } from "../../contracts/adapter.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

/** Returns an adapter whose runtime cannot change its settings while it runs. */
function rigid(): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    async connect(request) {
      const connection = await fake.connect(request);
      return Object.defineProperty(connection, "configure", { value: undefined });
    },
  };
}

test("leaves a running session unchanged if a resume requests a change that the runtime does not support", async () => {
  const directory = await temporaryDirectory();
  const open = async () => {
    const options = { home: join(directory, "home"), env: {}, adapters: [rigid()] };
    const halyard = await createHalyard(options);
    onTestFinished(() => halyard[Symbol.asyncDispose]());
    return halyard;
  };
  const session = await (await open()).start({ runtime: "fake", cwd: directory });
  await session.ready();
  await session.detach();
  const other = await open();
  const resuming = other.resume(session.id, { permissions: "deny" });
  await expect(resuming).rejects.toMatchObject({ code: "unsupported" });
  expect(await other.find(session.id)).toMatchObject({ state: "detached", permissions: "ask" });
  const attached = await other.resume(session.id, { permissions: "ask" });
  expect(attached.opened).toBe("attached");
});

test("keeps a session resumable after an attach, even if the runtime then reports `resumable: false`", async () => {
  const directory = await temporaryDirectory();
  const fake = fakeAdapter();
  /** An adapter like Pi's and Codex's: after an attach, the runtime does not know whether it has a record. */
  const unsure: Adapter = {
    ...fake,
    async connect(request) {
      const connection = await fake.connect(request);
      const shakeHands = connection.ready.bind(connection);
      const ready = async () => ({ ...(await shakeHands()), resumable: !request.attach });
      return Object.defineProperty(connection, "ready", { value: ready });
    },
  };
  const options = { home: join(directory, "home"), env: {}, adapters: [unsure] };
  const first = await createHalyard({ ...options, onDispose: "detach" });
  const session = await first.start({ runtime: "fake", cwd: directory });
  await session.ready();
  expect(session.info.resumable).toBe(true);
  await first[Symbol.asyncDispose]();
  await using halyard = await createHalyard(options);
  const attached = await halyard.resume(session.id);
  expect([attached.opened, attached.info.resumable]).toEqual(["attached", true]);
});
