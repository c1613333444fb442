import { expect, test } from "vitest";
import { parseTypedLine } from "./slash-command.ts";

test.each([
  ["fix it", { kind: "message", text: "fix it" }],
  ["  fix it ", { kind: "message", text: "fix it" }],
  ["/help", { kind: "command", name: "help", rest: "" }],
  ["/steer go\nleft ", { kind: "command", name: "steer", rest: "go\nleft" }],
  ["/interrupt", { kind: "command", name: "interrupt", rest: "" }],
  ["/halp", { kind: "unknown", name: "halp" }],
  ["/constructor x", { kind: "unknown", name: "constructor" }],
  ["//help", { kind: "message", text: "/help" }],
  ["/etc/hosts is wrong", { kind: "message", text: "/etc/hosts is wrong" }],
  ["/", { kind: "message", text: "/" }],
])("parses %j", (line, typed) => {
  expect(parseTypedLine(line)).toEqual(typed);
});
