import type { Proof } from "./proofs.ts";
import { type Requirement, seedOf } from "./requirement.ts";

/** Returns the contradictions between manifest and tests, each with its remedy. */
export function findProblems(
  requirements: readonly Requirement[],
  proofs: readonly Proof[],
): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const unknown = proofs
    .filter(({ id }) => !known.has(id))
    .map(
      ({ id, file, title }) =>
        `${file}: "${title}" names [${id}], which is not a requirement. Correct the id (one per pair of brackets), or add the requirement to test/requirements/.`,
    );
  return [...unknown, ...requirements.flatMap((requirement) => misjudged(requirement, proofs))];
}

function misjudged(requirement: Requirement, proofs: readonly Proof[]): string[] {
  const { id } = requirement;
  const named = proofs.filter((proof) => proof.id === id);
  const running = named.filter(({ runs }) => runs);
  const entry = entryPoints.find(({ ids }) => ids.test(id));
  const proven = running.filter(({ file }) => entry?.tests.test(file) ?? true);
  const [proof] = proven;
  const location = `test/requirements/seed-${seedOf(requirement)}.ts`;
  switch (requirement.status) {
    case "done": {
      if (proof) return wrongSuite(requirement, proven);
      if (entry && running.length > 0)
        return [
          `${id} is proven in ${running.map(({ file }) => file).join(", ")}, which does not call the seed's own entry point. Prove it in ${entry.of}, or mark it "planned" in ${location}.`,
        ];
      const found = named.length > 0 ? "only skipped tests name it" : "no test names it";
      return [
        `${id} is marked done, but ${found}. Put [${id}] into the title of the test that proves it, or mark it "planned" in ${location}.`,
      ];
    }
    case "planned":
      if (!proof) return [];
      return [
        `${id} is marked planned, but "${proof.title}" in ${proof.file} proves it. Mark it "done" in ${location}.`,
      ];
    case "deviates":
      return [];
  }
}

type Done = Extract<Requirement, { status: "done" }>;

function wrongSuite({ id, suite }: Done, proofs: readonly Proof[]): string[] {
  const suites = new Set(proofs.map(({ file }) => suiteOf(file)));
  const [only] = suites;
  const actual = suites.size === 1 ? only : suites.has(undefined) ? undefined : "real";
  if (actual === suite) return [];
  const remedy =
    actual === undefined
      ? "Remove its suite, because npm test proves it"
      : `Add suite: "${actual}"`;
  return [`${id} is proven in ${actual ?? "npm test"}. ${remedy}.`];
}

/** Returns the long suite that runs a file, or undefined for `npm test`. */
function suiteOf(file: string): Done["suite"] {
  if (file.endsWith(".real.test.ts")) return "real";
  if (file.endsWith(".system.test.ts")) return "system";
  return file.endsWith(".containers.test.ts") ? "containers" : undefined;
}

/** The topics for which a seed names an entry point, and the tests that call it. */
const entryPoints = [
  {
    of: "a test of halyard/compat/oubliette",
    ids: /^s[03]\.(runtime|streaming|executor|factory|health|override|events|profile|concurrency|droid|opencode|reasoning)\.|^s2\.(scope|d[1-7])\.|^s2\.(goal\.interchangeable|structure\.factory|endpoint\.message)$|^s2\.config\.(?!project-options)/,
    tests: /^src\/(compat\/oubliette\/|testing\/compat-suite\/oubliette|compat\/compat\.)/,
  },
  {
    of: "a test of halyard/compat/gas-town",
    ids: /^s1\.(ari|start-options|handle|message|env|hooks|readiness|claude|codex|config|open)\./,
    tests: /^src\/(compat\/gas-town\/|testing\/compat-suite\/gas-town|compat\/compat\.)/,
  },
  {
    of: "a test of the command halyard gt",
    ids: /^s1\.cli\./,
    tests: /^src\/compat\/gas-town\/cli\//,
  },
  {
    of: "a test of project_options",
    ids: /^s0\.options\.|^s2\.config\.project-options$/,
    tests: /^src\/mcp\//,
  },
  {
    of: "a test of halyard/compat/openclaw",
    ids: /^s4\.(interface|params|callbacks|options|pi|factory|resolve|tool-log|result|test|migration|rollback)/,
    tests: /^src\/(compat\/openclaw\/|testing\/compat-suite\/openclaw|compat\/compat\.)/,
  },
];
