import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Manifest, requirements } from "./manifest.ts";
import { findProblems } from "./problems.ts";
import { proofTable } from "./proof-table.ts";
import { findProofs, findTitleProblems } from "./proofs.ts";
import { type Requirement, seedOf } from "./requirement.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the manifest is well-formed and has no duplicate id", () => {
  const { error } = Manifest.safeParse(requirements);
  expect(error && z.prettifyError(error)).toBeUndefined();
});

test("every requirement marked done has a proof, and every proven one is marked done", () => {
  const files = [...new Set([...testSources(), ...Object.keys(proofTable)])];
  const sources = files.map((file) => {
    const source = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    return [file, source, proofTable[file] ?? {}] as const;
  });
  const proofs = sources.flatMap((source) => findProofs(...source));
  expect(findProblems(requirements, proofs)).toEqual([]);
  expect(sources.flatMap((source) => findTitleProblems(...source))).toEqual([]);
});

test("a requirement that deviates names a decision that exists", () => {
  const decisions = readdirSync(join(root, "docs/decisions")).map((file) => file.slice(0, 4));
  const unexplained = requirements.filter(
    (one) => one.status === "deviates" && !decisions.includes(one.decision),
  );
  expect(unexplained).toEqual([]);
});

/** The directory of the seed documents, which are not part of this repository. */
const seeds = process.env.HALYARD_SEEDS ?? "";

test.skipIf(seeds === "")("every quote occurs verbatim in its seed", () => {
  const texts = new Map(
    readdirSync(seeds).map((file) => [
      file.slice(0, 3),
      oneLine(readFileSync(join(seeds, file), "utf8")),
    ]),
  );
  const invented = requirements.filter((one) => !texts.get(seedOf(one))?.includes(one.quote));
  expect(invented.map(({ id, quote }) => `${id}: ${quote}`)).toEqual([]);
});

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

/** Returns the paths of the test files and the published suites. */
function testSources(): string[] {
  return [...filesUnder("src"), ...filesUnder("test")].filter(
    (file) => file.endsWith(".test.ts") || /^src\/testing\/.*\.ts$/.test(file),
  );
}

function filesUnder(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.map((file) => join(folder, file));
}

describe("the requirements check", () => {
  const planned: Requirement = {
    id: "s0.invented.thing",
    kind: "shall",
    quote: "The system SHALL provide a thing.",
    text: "A thing is invented.",
    status: "planned",
  };
  const done: Requirement = { ...planned, status: "done" };
  const problemsOf = (requirement: Requirement, ...lines: string[]) =>
    findProblems([requirement], findProofs("x.test.ts", lines.join("\n")));

  test("accepts a done requirement that a title names", () => {
    expect(problemsOf(done, 'test("works [s0.invented.thing]", () => {});')).toEqual([]);
  });

  test("reports a done requirement without a proof", () => {
    expect(problemsOf(done, 'test("works", () => {});')).toEqual([
      's0.invented.thing is marked done, but no test names it. Put [s0.invented.thing] into the title of the test that proves it, or mark it "planned" in test/requirements/seed-000.ts.',
    ]);
  });

  test("reports a proven requirement that is still marked planned", () => {
    expect(problemsOf(planned, 'test("works [s0.invented.thing]", () => {});')).toEqual([
      's0.invented.thing is marked planned, but "works [s0.invented.thing]" in x.test.ts proves it. Mark it "done" in test/requirements/seed-000.ts.',
    ]);
  });

  test("reports a requirement that only a long suite proves and that does not name the suite", () => {
    const proofs = findProofs("x.real.test.ts", 'test("works [s0.invented.thing]", () => {});');
    expect(findProblems([done], proofs)).toEqual([
      's0.invented.thing is proven in real. Add suite: "real".',
    ]);
    expect(findProblems([{ ...done, suite: "real" }], proofs)).toEqual([]);
    const unit = findProofs("x.test.ts", 'test("works [s0.invented.thing]", () => {});');
    expect(findProblems([{ ...done, suite: "real" }], [...proofs, ...unit])).toEqual([
      "s0.invented.thing is proven in npm test. Remove its suite, because npm test proves it.",
    ]);
  });

  test("reports a proof that does not call the seed's entry point", () => {
    const start: Requirement = { ...done, id: "s1.ari.invented" };
    const proofs = findProofs(
      "src/session/x.test.ts",
      'test("works [s1.ari.invented]", () => {});',
    );
    expect(findProblems([start], proofs)).toEqual([
      's1.ari.invented is proven in src/session/x.test.ts, which does not call the seed\'s own entry point. Prove it in a test of halyard/compat/gas-town, or mark it "planned" in test/requirements/seed-001.ts.',
    ]);
    expect(findProblems([{ ...planned, id: "s1.ari.invented" }], proofs)).toEqual([]);
    const facade = proofs.map((proof) => ({ ...proof, file: "src/compat/gas-town/x.test.ts" }));
    expect(findProblems([start], facade)).toEqual([]);
  });

  test("accepts a requirement that deviates, proven or not", () => {
    const deviates: Requirement = { ...planned, status: "deviates", decision: "0016" };
    expect(problemsOf(deviates)).toEqual([]);
    expect(problemsOf(deviates, 'test("works [s0.invented.thing]", () => {});')).toEqual([]);
  });

  test("reads the ids in the proof table, and reports a title that no test has", () => {
    const source = 'test("works", () => {});';
    const listed = { works: ["s0.invented.thing"], "works twice": ["s0.invented.thing"] };
    expect(findProblems([done], findProofs("x.test.ts", source, listed))).toEqual([]);
    expect(findTitleProblems("x.test.ts", source, listed)).toEqual([
      'x.test.ts has no test "works twice". Correct the file or the title in test/requirements/proof-table.ts.',
    ]);
  });

  test("reports a title with more than three ids", () => {
    const ids = "[s0.a.a] [s0.b.b] [s0.c.c]";
    expect(findTitleProblems("x.test.ts", `test("works ${ids}", () => {});`, {})).toEqual([]);
    expect(findTitleProblems("x.test.ts", `test("works ${ids} [s0.d.d]", () => {});`, {})).toEqual([
      `x.test.ts: "works ${ids} [s0.d.d]" names more than 3 ids. Move them to test/requirements/proof-table.ts.`,
    ]);
  });

  test("reports an unknown id", () => {
    expect(problemsOf(planned, 'test("works [s0.invented.thnig]", () => {});')).toEqual([
      'x.test.ts: "works [s0.invented.thnig]" names [s0.invented.thnig], which is not a requirement. Correct the id (one per pair of brackets), or add the requirement to test/requirements/.',
    ]);
  });

  test("reports a duplicate id", () => {
    expect(Manifest.safeParse([planned, done]).error?.issues).toMatchObject([
      {
        path: [1, "id"],
        message: "s0.invented.thing is used twice. Give one of the two requirements another id.",
      },
    ]);
  });

  test.each([
    ["a skipped test", 'test.skip("works [s0.invented.thing]", () => {});'],
    ["a test.todo", 'test.todo("works [s0.invented.thing]");'],
    ["a test in a comment", '// test("works [s0.invented.thing]", () => {});'],
    ["a string in a body", 'test("works", () => expect("[s0.invented.thing]").toBe(""));'],
    ["a table's row", 'test.each(["[s0.invented.thing]"])("works", () => {});'],
  ])("does not count %s as a proof", (_, source) => {
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
