import { z } from "zod";
import type { FileEdit } from "./agent-update.ts";
import { readDiff } from "./unified-diff.ts";

const text = z.string();

/** A text replacement, in the field names of different runtimes. */
const Replacement = z.union([
  z
    .looseObject({ old_string: text, new_string: text })
    .transform((edit) => [edit.old_string, edit.new_string] as const),
  z
    .looseObject({ oldString: text, newString: text })
    .transform((edit) => [edit.oldString, edit.newString] as const),
  z
    .looseObject({ oldText: text, newText: text })
    .transform((edit) => [edit.oldText, edit.newText] as const),
  z
    .looseObject({ old_str: text, new_str: text })
    .transform((edit) => [edit.old_str, edit.new_str] as const),
]);

const Edit = z.union([
  z.object({ diff: text }),
  z.object({ edits: z.array(Replacement) }),
  Replacement.transform((replacement) => ({ edits: [replacement] })),
  z.object({ content: text }),
]);

/**
 * Returns the changes that the input of an edit tool describes. Returns an empty list if the format of the input is
 * unknown, or if neither the input nor `path` names a file.
 */
export function editsIn(input: unknown, path: string | undefined, cwd: string): FileEdit[] {
  const edit = Edit.safeParse(input).data;
  if (edit === undefined) return [];
  if ("diff" in edit) return readDiff(edit.diff, cwd);
  if (path === undefined) return [];
  if ("content" in edit) return [{ path, operation: "add", before: "", after: edit.content }];
  return edit.edits.map(([before, after]) => ({ path, operation: "modify", before, after }));
}
