import { expect, test } from "vitest";
import { displayWidth } from "./display-width.ts";
import { table } from "./table.ts";

test("prints each row on one line, even if a cell has line breaks", () => {
  const rows = [
    ["NAME", "ABOUT"],
    ["two\n lines", "a\ttab \u001b[31mred"],
    ["one", " x\r\n"],
  ];
  expect(table(rows)).toEqual(["NAME       ABOUT", "two lines  a tab red", "one        x"]);
});

test("shortens only flexible columns to the available width", () => {
  const path = "/home/user/a/long/way/down/to/the/project";
  const rows = [
    ["ID", "DIRECTORY", "ABOUT"],
    ["ses_0123456789abcdef", path, "fix the 日本語 tests and everything else that is broken there"],
  ];
  const flexible = { 1: "end", 2: "start" } as const;
  for (const columns of [80, 200]) {
    const lines = table(rows, { columns, flexible });
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(/^ses_0123456789abcdef .*the\/project /);
  }
  expect(table(rows, { columns: 200, flexible })[1]).toContain(path);
  expect(table(rows, { flexible })[1]).toContain("broken there");
});
