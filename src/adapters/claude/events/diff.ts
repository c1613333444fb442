import { z } from "zod";

const Hunk = z.looseObject({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(z.string()),
});

/** The result details of the tools that edit files. */
const Edited = z.looseObject({
  filePath: z.string(),
  structuredPatch: z.array(Hunk),
  /** Null if the file did not exist before. */
  originalFile: z.string().nullish(),
  content: z.string().optional(),
});

/**
 * Returns the change that a tool made to a file as a unified diff. Returns undefined if the tool does not edit files or
 * changed nothing.
 */
export function diffOf(details: unknown): string | undefined {
  const edited = Edited.safeParse(details).data;
  if (edited === undefined) return undefined;
  const { filePath, structuredPatch, originalFile, content = "" } = edited;
  const isNew = originalFile === null && structuredPatch.length === 0;
  const hunks = isNew ? [newFileHunk(content)] : structuredPatch;
  if (hunks.length === 0) return undefined;
  const before = isNew ? "/dev/null" : filePath;
  return [`--- ${before}`, `+++ ${filePath}`, ...hunks.flatMap(hunkLines)].join("\n");
}

function hunkLines({ oldStart, oldLines, newStart, newLines, lines }: z.infer<typeof Hunk>) {
  return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines];
}

function newFileHunk(content: string): z.infer<typeof Hunk> {
  const ending = content.endsWith("\n") || content === "";
  const added = content.replace(/\n$/, "").split("\n");
  const lines = [
    ...(content === "" ? [] : added.map((line) => `+${line}`)),
    ...(ending ? [] : ["\\ No newline at end of file"]),
  ];
  const newLines = content === "" ? 0 : added.length;
  return { oldStart: 0, oldLines: 0, newStart: newLines === 0 ? 0 : 1, newLines, lines };
}
