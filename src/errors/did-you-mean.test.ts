import { expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

test.each([
  ["pii", ["pi", "claude"], ' Did you mean "pi"?'],
  ["cladue", ["pi", "claude"], ' Did you mean "claude"?'],
  ["Claud", ["claude", "ccsdk"], ' Did you mean "claude"?'],
  ["locl", ["local", "fast"], ' Did you mean "local"?'],
  ["opncode", ["codex", "opencode"], ' Did you mean "opencode"?'],
  ["Claude", ["claude", "ccsdk"], ' Did you mean "claude"?'],
  ["banana", ["pi", "claude"], ""],
  ["claude", ["claude"], ""],
  ["", ["pi"], ""],
])("suggests a similar name, if any, for %j among %j", (text, names, advice) => {
  expect(didYouMean(text, names)).toBe(advice);
});
