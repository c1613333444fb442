import { z } from "zod";
import { Requirement } from "./requirement.ts";
import { seed000 } from "./seed-000.ts";
import { seed001 } from "./seed-001.ts";
import { seed002 } from "./seed-002.ts";
import { seed003 } from "./seed-003.ts";
import { seed004 } from "./seed-004.ts";

/** The requirements of all seeds. */
export const requirements: readonly Requirement[] = [
  ...seed000,
  ...seed001,
  ...seed002,
  ...seed003,
  ...seed004,
];

/** The schema of all requirements. Rejects a malformed requirement and a duplicate id. */
export const Manifest = z.array(Requirement).superRefine((entries, context) => {
  const seen = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (seen.has(id)) {
      const message = `${id} is used twice. Give one of the two requirements another id.`;
      context.addIssue({ code: "custom", path: [index, "id"], message });
    }
    seen.add(id);
  }
});
