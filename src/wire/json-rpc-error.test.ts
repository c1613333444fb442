import { describe, expect, test } from "vitest";
import { JsonRpcError, toErrorObject } from "./json-rpc-error.ts";

describe("an error response", () => {
  test("preserves its code, message and data", () => {
    const error = JsonRpcError.from({ code: -32004, message: "no such session", data: { id: 1 } });
    expect(error).toEqual(new JsonRpcError(-32004, "no such session", { id: 1 }));
  });

  test.each([
    ["boom", new JsonRpcError(-32603, "boom")],
    [{ message: "boom" }, new JsonRpcError(-32603, "boom")],
    [{ code: 5 }, new JsonRpcError(5, "an error without a message", { code: 5 })],
  ])("is parsed leniently if it is %j", (error, expected) => {
    expect(JsonRpcError.from(error)).toEqual(expected);
  });
});

test.each([
  [new JsonRpcError(7, "busy"), { code: 7, message: "busy" }],
  [new JsonRpcError(7, "busy", [1]), { code: 7, message: "busy", data: [1] }],
  [new TypeError("boom"), { code: -32603, message: "boom" }],
  ["boom", { code: -32603, message: "boom" }],
])("converts a thrown value to an error object: %s", (thrown, expected) => {
  expect(toErrorObject(thrown)).toEqual(expected);
});
