import { z } from "zod";

const Edited = z.looseObject({
  diffLines: z.array(
    z.looseObject({ type: z.enum(["added", "removed", "unchanged"]), content: z.string() }),
  ),
});

/** Builds a diff with 3 lines of context from an edit tool's JSON result. Returns undefined for any other output. */
export function diffOf(output: string): string | undefined {
  const { data } = Edited.safeParse(parsed(output));
  if (data === undefined) return undefined;
  const near = new Set<number>();
  for (const [at, { type }] of data.diffLines.entries()) {
    if (type === "unchanged") continue;
    for (let one = at - CONTEXT; one <= at + CONTEXT; one++) near.add(one);
  }
  const lines = data.diffLines.filter((_, at) => near.has(at));
  return lines.map(({ type, content }) => `${marks[type]}${content}`).join("\n");
}

const marks = { added: "+", removed: "-", unchanged: " " } as const;

/** The number of context lines, as in `diff -u`. */
const CONTEXT = 3;

function parsed(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
