import type { Proof } from "./proofs.ts";
import type { Requirement } from "./requirement.ts";

/** Where manifest and tests disagree, each with what to do about it. */
export function findProblems(
  requirements: readonly Requirement[],
  proofs: readonly Proof[],
): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const unknown = proofs
    .filter(({ id }) => !known.has(id))
    .map(
      ({ id, file, title }) =>
        `${file}: "${title}" names [${id}], which no seed's list has. Correct the id (one per pair of brackets), or add the requirement to test/requirements/.`,
    );
  return [...unknown, ...requirements.flatMap((requirement) => misjudged(requirement, proofs))];
}

function misjudged({ id, seed, status }: Requirement, proofs: readonly Proof[]): string[] {
  const named = proofs.filter((proof) => proof.id === id);
  const proof = named.find(({ runs }) => runs);
  const place = `test/requirements/seed-${seed}.ts`;
  switch (status) {
    case "done": {
      if (proof) return [];
      const found = named.length > 0 ? "only skipped tests name it" : "no test names it";
      return [
        `${id} is marked done, but ${found}. Put [${id}] into the title of the test that proves it, or mark it "planned" in ${place}.`,
      ];
    }
    case "planned":
      if (!proof) return [];
      return [
        `${id} is marked planned, but "${proof.title}" in ${proof.file} proves it. Mark it "done" in ${place}.`,
      ];
  }
}
