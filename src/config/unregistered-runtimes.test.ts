import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { strangersIn } from "./unregistered-runtimes.ts";

const config = (isTrusted: boolean): Config => ({
  models: { path: "/work/config/models.json", directory: "/work", isTrusted },
  factory: { path: "/work/config/factory.json", value: { api_key: "fk-theirs" } },
});

test("warns about an account in an untrusted directory, without its key", () => {
  expect(strangersIn(config(false), "droid")).toEqual([
    "/work/config/factory.json signs Droid in with a key of its own, and is ignored: /work is not trusted. If you know who wrote it, run: halyard trust /work",
  ]);
});

test("does not warn about a trusted account, or one that the runtime does not use", () => {
  expect(strangersIn(config(true), "droid")).toEqual([]);
  expect(strangersIn(config(false), "pi")).toEqual([]);
  expect(strangersIn({}, "droid")).toEqual([]);
});
