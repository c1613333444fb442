import { expect, test } from "vitest";
import { newHost } from "./host-list.ts";

test.each([
  [{ name: "-gpu", address: "me@gpu" }, /^The name "-gpu" is invalid\. /],
  [{ name: "gpu", address: "a b" }, /^The address "a b" is invalid\. /],
  [{ name: "gpu", address: "me@gpu", command: "" }, /^The command is empty\. /],
])("rejects the host %j and names its malformed field", (host, message) => {
  expect(() => newHost(host, [])).toThrow(message);
});

test("rejects a host whose name is taken", () => {
  const host = { name: "gpu", address: "me@gpu" };
  expect(newHost(host, [])).toEqual(host);
  expect(() => newHost(host, [host])).toThrow('A machine named "gpu" already exists.');
});
