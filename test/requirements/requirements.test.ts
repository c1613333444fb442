import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Manifest, requirements } from "./manifest.ts";
import { findProblems } from "./problems.ts";
import { findProofs } from "./proofs.ts";
import type { Requirement } from "./requirement.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the manifest is well formed and has no id twice", () => {
  const { error } = Manifest.safeParse(requirements);
  expect(error && z.prettifyError(error)).toBeUndefined();
});

test("what is marked done is proven, and what is proven is marked done", () => {
  const proofs = testSources().flatMap((file) =>
    findProofs(file, readFileSync(join(root, file), "utf8")),
  );
  expect(findProblems(requirements, proofs)).toEqual([]);
});

/** Tests, and the published suites, whose tests run wherever they are called. */
function testSources(): string[] {
  return [...filesUnder("src"), ...filesUnder("test")].filter(
    (file) => file.endsWith(".test.ts") || /^src\/testing\/.*\.ts$/.test(file),
  );
}

function filesUnder(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.map((file) => join(folder, file));
}

describe("the check itself", () => {
  const planned: Requirement = {
    id: "s0.invented.thing",
    seed: "000",
    kind: "shall",
    text: "A thing is invented.",
    status: "planned",
    area: "A",
  };
  const done: Requirement = { ...planned, status: "done" };
  const problemsOf = (requirement: Requirement, ...lines: string[]) =>
    findProblems([requirement], findProofs("x.test.ts", lines.join("\n")));

  test("accepts a done requirement that a title names", () => {
    expect(problemsOf(done, 'test("works [s0.invented.thing]", () => {});')).toEqual([]);
  });

  test("finds a done requirement that nothing proves", () => {
    expect(problemsOf(done, 'test("works", () => {});')).toEqual([
      's0.invented.thing is marked done, but no test names it. Put [s0.invented.thing] into the title of the test that proves it, or mark it "planned" in test/requirements/seed-000.ts.',
    ]);
  });

  test("finds a proven requirement that is still marked planned", () => {
    expect(problemsOf(planned, 'test("works [s0.invented.thing]", () => {});')).toEqual([
      's0.invented.thing is marked planned, but "works [s0.invented.thing]" in x.test.ts proves it. Mark it "done" in test/requirements/seed-000.ts.',
    ]);
  });

  test("finds an id that no seed has", () => {
    expect(problemsOf(planned, 'test("works [s0.invented.thnig]", () => {});')).toEqual([
      'x.test.ts: "works [s0.invented.thnig]" names [s0.invented.thnig], which no seed\'s list has. Correct the id (one per pair of brackets), or add the requirement to test/requirements/.',
    ]);
  });

  test("finds an id that stands twice", () => {
    expect(Manifest.safeParse([planned, done]).error?.issues).toMatchObject([
      {
        path: [1, "id"],
        message: "s0.invented.thing stands twice: give one of the two another id",
      },
    ]);
  });

  test.each([
    ["a skipped test", 'test.skip("works [s0.invented.thing]", () => {});'],
    ["a test still to be written", 'test.todo("works [s0.invented.thing]");'],
    ["a test in a comment", '// test("works [s0.invented.thing]", () => {});'],
    ["a string in a body", 'test("works", () => expect("[s0.invented.thing]").toBe(""));'],
    ["a table's row", 'test.each(["[s0.invented.thing]"])("works", () => {});'],
  ])("does not take %s for a proof", (_, source) => {
    expect(problemsOf(done, source)).toHaveLength(1);
  });

  test.each([
    ["it", "it('works [s0.invented.thing]', () => {});"],
    ["describe", '  describe("works [s0.invented.thing]", () => {});'],
    ["a template", "test(`works [s0.invented.thing]`, () => {});"],
    ["a title on its own line", 'test(\n  "works [s0.invented.thing]",\n  () => {},\n);'],
    ["a quote within", 'test("doesn\\"t break [s0.invented.thing]", () => {});'],
    ["two ids", 'test("works [s1.other.thing] [s0.invented.thing]", () => {});'],
    [
      "a table",
      'test.each([\n  [1, ")"],\n  [f(2), "("],\n])("works [s0.invented.thing]", () => {});',
    ],
    ["a typed table", 'test.each<[string]>([["a"]])("works [s0.invented.thing]", () => {});'],
    ["a condition", 'test.skipIf(!can("steer"))("works [s0.invented.thing]", () => {});'],
    ["a tagged table", "test.each`\n  a | b\n`('works [s0.invented.thing]', () => {});"],
  ])("reads the title of %s", (_, source) => {
    const ids = findProofs("x.test.ts", source).map(({ id }) => id);
    expect(ids).toContain("s0.invented.thing");
  });
});
