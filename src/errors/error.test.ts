import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeOrReason } from "./error.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("describes an error by its code, or by its message if it has no code", () => {
  expect(codeOrReason(thrownBy(() => readFileSync("/")))).toBe("EISDIR");
  expect(codeOrReason(thrownBy(() => "x".repeat(2 ** 30)))).toBe("Invalid string length");
  expect(codeOrReason("no")).toBe("no");
});
