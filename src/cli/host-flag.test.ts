import { expect, test } from "vitest";
import { hostRequest, toHost } from "./host-flag.ts";

test("converts --host and --network to a start request", () => {
  expect(hostRequest({ host: toHost("tmux") })).toEqual({ host: "tmux" });
  expect(hostRequest({ host: toHost("container") })).toEqual({ host: "container" });
  expect(hostRequest({ host: toHost("container:localhost/a:1"), network: "none" })).toEqual({
    host: "container",
    container: { image: "localhost/a:1", network: "none" },
  });
  expect(hostRequest({})).toEqual({});
});

test.for(["", "docker", "container:", "local:image"])("rejects %j as a host", (text) => {
  expect(() => toHost(text)).toThrow(/container:image/);
});
