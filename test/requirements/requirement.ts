import { z } from "zod";

/** One thing a seed asks for, in our words. `area` is the issue that fulfils it. */
export const Requirement = z
  .strictObject({
    id: z.string().regex(/^s[0-4](\.[a-z0-9]+(-[a-z0-9]+)*){2}$/, "not like s0.topic.some-words"),
    seed: z.enum(["000", "001", "002", "003", "004"]),
    kind: z.enum(["shall", "scenario"]),
    text: z.string().regex(/^.+\.$/, "not one sentence that ends in a full stop"),
    status: z.enum(["planned", "done"]),
    area: z.enum(["A", "B", "C", "D", "E", "F", "G"]),
  })
  .refine(({ id, seed }) => id.startsWith(`s${Number(seed)}.`), {
    path: ["id"],
    error: "belongs to another seed",
  });
export type Requirement = z.infer<typeof Requirement>;
