import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const css = readFileSync(fileURLToPath(new URL("tokens.css", import.meta.url)), "utf8");
const themes = [...css.matchAll(/color-scheme: (\w+);([^}]*)/g)].map(
  ([, name = "", body = ""]) => ({
    name,
    colors: new Map(
      [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, key = "", value = ""]) => [
        key,
        value,
      ]),
    ),
  }),
);

/** Text colors with the background colors on which they are shown. */
const pairs: readonly (readonly [text: string, grounds: readonly string[]])[] = [
  [
    "text",
    [
      "ground",
      "side",
      "raised",
      "sunken",
      "field",
      "hover",
      "selected",
      "accent-wash",
      "added",
      "removed",
      "added-mark",
      "removed-mark",
    ],
  ],
  ["muted", ["ground", "side", "raised", "sunken", "hover", "selected"]],
  ["faint", ["ground", "side", "raised", "sunken", "field", "hover", "selected"]],
  ["accent-text", ["ground", "side", "sunken"]],
  ["on-accent", ["accent", "accent-strong"]],
  ["good", ["ground", "side", "added"]],
  ["bad", ["ground", "side", "raised", "bad-wash", "removed"]],
  ["code-string", ["sunken"]],
  ["code-number", ["sunken"]],
  ["code-keyword", ["sunken"]],
];

describe.each(themes)("the $name colors", ({ colors }) => {
  test("have a contrast of at least 4.5 between text and background (WCAG AA)", () => {
    const weak = pairs.flatMap(([text, grounds]) =>
      grounds.flatMap((ground) => {
        const ratio = contrast(colors.get(text) ?? "", colors.get(ground) ?? "");
        return ratio >= 4.5 ? [] : [`${text} on ${ground}: ${ratio.toFixed(2)}`];
      }),
    );
    expect(weak).toEqual([]);
  });
});

test("the dark colors are the same for the system setting and the user's choice", () => {
  const [first, second] = themes.filter(({ name }) => name === "dark");
  expect(first?.colors).toEqual(second?.colors);
});

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
