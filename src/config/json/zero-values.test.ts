import { expect, test } from "vitest";
import { WrittenServerFile } from "../files/server.ts";
import { parseJsonText } from "./json-text.ts";
import { acceptZeroValues, withoutZeroValues } from "./zero-values.ts";

test("removes empty strings and null at every depth, except in env and in lists", () => {
  const written = {
    name: "",
    model: null,
    droid: { default_model: "", other: 0 },
    env: { PAGER: "" },
    args: ["", null],
  };
  const kept = { droid: { other: 0 }, env: { PAGER: "" }, args: ["", null] };
  expect(withoutZeroValues(written)).toEqual(kept);
  expect(withoutZeroValues(null)).toBe(null);
});

test("preserves the positions in errors and in warnings about unknown keys", () => {
  const schema = acceptZeroValues(WrittenServerFile);
  const text = '{ "agent_runtime": "", "address": null, "log": 1 }';
  expect(parseJsonText("server.json", text, schema)).toEqual({
    value: {},
    warnings: ["server.json:1:48: log is not a known setting and was ignored"],
  });
  expect(() => parseJsonText("server.json", '{ "agent_runtime": "Droid" }', schema)).toThrow(
    'server.json:1:20: agent_runtime: expected a lower-case name. Did you mean "droid"?',
  );
});
