import { z } from "zod";

const Edited = z.looseObject({
  diffLines: z.array(
    z.looseObject({ type: z.enum(["added", "removed", "unchanged"]), content: z.string() }),
  ),
});

/** The result of an edit is JSON, with the lines as they were and as they are; what is far from a change is left out. */
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

/** As many lines as `diff -u` shows around a change. */
const CONTEXT = 3;

function parsed(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
