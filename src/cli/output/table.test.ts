import { expect, test } from "vitest";
import { table } from "./table.ts";

test("a row is one line, whatever is in its cells", () => {
  const rows = [
    ["NAME", "ABOUT"],
    ["two\n lines", "a\ttab \u001b[31mred"],
    ["one", " x\r\n"],
  ];
  expect(table(rows)).toEqual(["NAME       ABOUT", "two lines  a tab red", "one        x"]);
});
