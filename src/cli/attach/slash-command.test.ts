import { expect, test } from "vitest";
import { meantCommand, parseTypedLine, slashHelp } from "./slash-command.ts";

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
])("parses %j as %j", (line, typed) => {
  expect(parseTypedLine(line)).toEqual(typed);
});

test("suggests the most similar command for a misspelled name, or none if no command is similar", () => {
  expect(meantCommand("hlep")).toBe(' Did you mean "/help"?');
  expect(meantCommand("modle")).toBe(' Did you mean "/model"?');
  expect(meantCommand("weather")).toBe("");
});

test.each([80, 40])(
  "formats the help for commands and keys for a console with %i columns",
  (columns) => {
    for (const ownsSession of [true, false]) {
      const lines = slashHelp({ ownsSession, columns });
      expect(lines.join("\n")).toMatch(/\/steer MESSAGE\s+send a message into the running turn/);
      expect(lines.join("\n")).toMatch(ownsSession ? /Ctrl-Z\s+leave/ : /Ctrl-D\s+leave/);
      expect(lines.filter((line) => line.length > Math.max(columns, 46))).toEqual([]);
    }
  },
);
