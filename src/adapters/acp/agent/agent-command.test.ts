import { expect, test } from "vitest";
import { readOptions } from "../options.ts";
import { commandIn } from "./agent-command.ts";

const addressOf = (url: string) => commandIn(readOptions({ options: { url } }))?.at(-1);

test.each([
  ["wss://example.com/acp", "wss://example.com/acp"],
  ["https://example.com/acp", "wss://example.com/acp"],
  ["HTTPS://example.com/acp", "wss://example.com/acp"],
  ["http://127.0.0.1:4747/acp", "ws://127.0.0.1:4747/acp"],
  ["ws://localhost/acp", "ws://localhost/acp"],
])("connects to the agent at %s through %s", (url, address) => {
  expect(addressOf(url)).toBe(address);
});

test.each(["ftp://example.com/acp", "file:///acp", "example.com"])(
  "names the supported protocols if the address is %s",
  (url) => {
    expect(() => addressOf(url)).toThrow(
      "url: expected a URL that begins with wss://, ws://, https:// or http://",
    );
  },
);

test.each(["ws://example.com/acp", "HTTP://example.com/acp"])(
  "rejects %s, because the connection to another machine is not encrypted",
  (url) => {
    expect(() => addressOf(url)).toThrow(
      `url: ${url} is not encrypted. Use wss://, or ws:// for an agent on this machine.`,
    );
  },
);
