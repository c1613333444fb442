import { expect, test } from "vitest";
import { serve, TOKEN } from "../../test/http/served.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { connectHalyard } from "./index.ts";

test("compares a runtime's schema only on request", async () => {
  const changes = { added: ["turn/new"], removed: [] };
  const adapters = [{ ...fakeAdapter(), compareSchema: async () => changes }];
  await using served = await serve({}, { adapters });
  await using remote = await connectHalyard(served.url, { token: TOKEN });
  expect((await remote.inspect("fake")).schema).toBeUndefined();
  expect(await remote.inspect("fake", { schema: true })).toMatchObject({
    schema: changes,
    advice: expect.arrayContaining(["its schema has names that the tested schema lacks: turn/new"]),
  });
});
