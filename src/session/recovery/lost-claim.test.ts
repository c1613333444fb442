import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { createHalyard } from "../../create-halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

test("resumes a session after a claim that was recorded but whose response was lost", async () => {
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

/** Returns a store that records a claim but rejects as if the servers did not respond, while `isLost` returns true. */
function losing(store: Store, isLost: () => boolean): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === "claim")
        return async (...given: Parameters<Store["claim"]>) => {
          const writer = await target.claim(...given);
          if (isLost()) throw new HalyardError("store_unreachable", "no response");
          return writer;
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
