import { describe, expect, test } from "vitest";
import { readJsonRpc } from "./json-rpc-message.ts";

describe("classifies a message by its fields, with or without the version", () => {
  test.each([{}, { jsonrpc: "2.0" }])("with the version fields %j", (version) => {
    expect(readJsonRpc({ ...version, id: 0, method: "m", params: [1] })).toEqual({
      kind: "request",
      id: 0,
      method: "m",
      params: [1],
    });
    expect(readJsonRpc({ ...version, method: "m" })).toEqual({ kind: "notification", method: "m" });
    expect(readJsonRpc({ ...version, id: "1", result: null })).toEqual({
      kind: "result",
      id: "1",
      result: null,
    });
    expect(readJsonRpc({ ...version, id: 1, error: { code: 1 } })).toEqual({
      kind: "failure",
      id: 1,
      error: { code: 1 },
    });
  });
});

test("ignores a null error beside a result", () => {
  expect(readJsonRpc({ id: 1, result: 2, error: null })).toEqual({
    kind: "result",
    id: 1,
    result: 2,
  });
});

test.each([
  null,
  7,
  "text",
  [],
  {},
  { id: 1 },
  { id: {}, method: "m" },
  { id: null, method: "m" },
  { id: null, error: { code: -32700, message: "Parse error" } },
  { method: 7 },
  { result: 1 },
])("classifies %j as unknown", (message) => {
  expect(readJsonRpc(message)).toEqual({ kind: "unknown" });
});
