import { z } from "zod";

const RequirementFields = z.strictObject({
  id: z
    .string()
    .regex(/^s[0-4](\.[a-z0-9]+(-[a-z0-9]+)*){2}$/, "must look like s0.topic.some-words"),
  kind: z.enum(["shall", "scenario"]),
  /** The text of the seed, verbatim except for line breaks and indentation. */
  quote: z.string().regex(/^\S.*\S$/, "must be one line"),
  /** The requirement in the terms of this project. For `deviates`, the behavior that replaces it. */
  text: z.string().regex(/^.+\.$/, "must be one line that ends in a period"),
});

/** One statement of a seed and its status. */
export const Requirement = z.discriminatedUnion("status", [
  RequirementFields.extend({ status: z.literal("planned") }),
  RequirementFields.extend({
    status: z.literal("done"),
    /** The long suite that its proofs run in, if none of them runs in `npm test`. */
    suite: z.enum(["system", "real", "containers"]).optional(),
  }),
  RequirementFields.extend({
    status: z.literal("deviates"),
    /** The number of the decision in `docs/decisions` that explains the deviation. */
    decision: z.string().regex(/^\d{4}$/, "must be the number of a decision"),
  }),
]);
export type Requirement = z.infer<typeof Requirement>;

/** Returns the number of the seed that a requirement belongs to: `000` to `004`. */
export const seedOf = ({ id }: Pick<Requirement, "id">): string => `00${id[1]}`;
