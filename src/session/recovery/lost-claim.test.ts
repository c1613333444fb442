import { expect, test } from "vitest";
import type { Store, StoredEvent } from "../../contracts/store.ts";
import { createHalyard } from "../../create-halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { sampleBlock, sampleProcess } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

test("resumes a session after the response to a recorded claim was lost", async () => {
  const home = await temporaryDirectory();
  let losses = 0;
  const store = losing(new MemoryStore(), () => losses++ === 0);
  await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], store });
  const { id, ...session } = await started();
  await expect(halyard.resume(id)).rejects.toMatchObject({ code: "store_unreachable" });
  const resumed = await halyard.resume(id);
  expect(resumed.opened).toBe("resumed");
  expect((await resumed.send("recall").outcome).text).toBe("say first");
  expect([losses, session.status]).toEqual([2, "completed"]);

  async function started() {
    const first = await halyard.start({ runtime: "fake", cwd: home, permissions: "allow-all" });
    const { status } = await first.send("say first").outcome;
    await first.stop();
    return { id: first.id, status };
  }
});

test("rejects a claim with an outdated record, and resumes the session afterward", async () => {
  const home = await temporaryDirectory();
  const memory = new MemoryStore();
  let claims = 0;
  const store = replaced(memory, async (...given) => {
    if (claims++ === 0) await useElsewhere(given[0]);
    return memory.claim(...given);
  });
  await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], store });
  const first = await halyard.start({ runtime: "fake", cwd: home, permissions: "allow-all" });
  await first.send("say first").outcome;
  await first.stop();
  await expect(halyard.resume(first.id)).rejects.toMatchObject({ code: "session_owned" });
  const resumed = await halyard.resume(first.id);
  expect((await resumed.send("recall").outcome).text).toBe("say first");

  /** Claims the session as another process, appends an event, and releases the session. */
  async function useElsewhere(id: SessionId) {
    const { info } = (await memory.find(id)) ?? {};
    if (info === undefined) throw new Error("no such session");
    const writer = await memory.claim(id, sampleProcess(1), null);
    const body: StoredEvent = { type: "system", subtype: "status", text: "used" };
    await writer.append(sampleBlock(info, [body]));
    await writer.release();
  }
});

/** Returns a store that records a claim but rejects as if the servers did not respond, while `isLost` returns true. */
function losing(store: Store, isLost: () => boolean): Store {
  return replaced(store, async (...given) => {
    const writer = await store.claim(...given);
    if (isLost()) throw new HalyardError("store_unreachable", "no response");
    return writer;
  });
}

/** Returns the store with another `claim`. */
function replaced(store: Store, claim: Store["claim"]): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = name === "claim" ? claim : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
