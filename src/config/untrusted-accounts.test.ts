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

const explicit = (runtime: string) => ({ runtime, explicit: true });

test("warns about an account in an untrusted directory, without its key", () => {
  const warnings = [
    '/work/config/factory.json contains a key for Droid and is ignored: /work is not trusted. If you know who wrote it, run "halyard trust /work".',
  ];
  expect(untrustedAccounts(config(false), explicit("droid"))).toEqual(warnings);
  const auto = { runtime: "opencode", explicit: false }; // the runtime of auto without a key
  expect(untrustedAccounts(config(false), auto)).toEqual(warnings);
});

test("does not warn about a trusted account, or one that the runtime does not use", () => {
  expect(untrustedAccounts(config(true), explicit("droid"))).toEqual([]);
  expect(untrustedAccounts(config(false), explicit("pi"))).toEqual([]);
  expect(untrustedAccounts(config(false), explicit("opencode"))).toEqual([]);
  expect(untrustedAccounts({}, explicit("droid"))).toEqual([]);
});
