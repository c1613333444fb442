import { expect, test } from "vitest";
import { ServerFile } from "./files/server.ts";
import { listenAddress } from "./server.ts";

test.each([
  [":8080", { port: 8080 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
])("parses the listen address %s", (address, expected) => {
  expect(listenAddress(ServerFile.parse({ address }))).toEqual(expected);
});

test("returns an empty object if there is no address", () => {
  expect(listenAddress(undefined)).toEqual({});
  expect(listenAddress(ServerFile.parse({}))).toEqual({});
});

test.each(["8080", "localhost", "::1", "a b:1", ""])("rejects the address %j", (address) => {
  expect(ServerFile.safeParse({ address }).success).toBe(false);
});
