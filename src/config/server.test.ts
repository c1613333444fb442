import { expect, test } from "vitest";
import { ServerFile } from "./files/server.ts";
import { listenAddress } from "./server.ts";

test.each([
  [":8080", { port: 8080 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
])("%s is an address to listen on", (address, expected) => {
  expect(listenAddress(ServerFile.parse({ address }))).toEqual(expected);
});

test("without an address nothing is said of it", () => {
  expect(listenAddress(undefined)).toEqual({});
  expect(listenAddress(ServerFile.parse({}))).toEqual({});
});

test.each(["8080", "localhost", "::1", "a b:1", ""])("%j is refused", (address) => {
  expect(ServerFile.safeParse({ address }).success).toBe(false);
});
