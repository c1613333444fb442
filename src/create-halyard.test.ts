import { expect, test, vi } from "vitest";
import { createHalyard } from "./create-halyard.ts";
import { createLocalHost } from "./hosts/local/index.ts";
import { MemoryStore } from "./stores/memory.ts";
import { fakeAdapter } from "./testing/fake/index.ts";
import { newFixture } from "./testing/halyard/fixture.ts";
import { describeHalyard } from "./testing/halyard/index.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

describeHalyard("Halyard in process", () =>
  newFixture((home) => createHalyard({ home, env: {}, adapters: [fakeAdapter()] })),
);

test("runs sessions on the caller's store and host, and disposes the store", async () => {
  const home = await temporaryDirectory();
  const store = new MemoryStore();
  const local = createLocalHost({ directory: home });
  const spawn = vi.spyOn(local, "spawn");
  const adapters = [fakeAdapter()];
  const halyard = await createHalyard({ home, env: {}, adapters, store, hosts: [local] });
  const session = await halyard.start({ runtime: "fake", cwd: home });
  expect((await store.list()).map(({ info }) => info.id)).toEqual([session.id]);
  expect(spawn).toHaveBeenCalledOnce();
  expect(halyard.home).toBeUndefined();
  await halyard[Symbol.asyncDispose]();
  await expect(store.list()).rejects.toThrow();
});
