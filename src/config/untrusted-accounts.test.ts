import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { untrustedAccounts } from "./untrusted-accounts.ts";

const config = (isTrusted: boolean): Config => ({
  factory: {
    path: "/work/config/factory.json",
    value: { api_key: "fk-theirs" },
    directory: "/work",
    isTrusted,
  },
});

test("warns about an account in an untrusted directory, without its key", () => {
  expect(untrustedAccounts(config(false), "droid")).toEqual([
    '/work/config/factory.json contains a key for Droid and is ignored: /work is not trusted. If you know who wrote it, run "halyard trust /work".',
  ]);
});

test("does not warn about a trusted account, or one that the runtime does not use", () => {
  expect(untrustedAccounts(config(true), "droid")).toEqual([]);
  expect(untrustedAccounts(config(false), "pi")).toEqual([]);
  expect(untrustedAccounts({}, "droid")).toEqual([]);
});
