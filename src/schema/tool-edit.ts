/** A text replacement in the input of an edit tool. */
export interface TextReplacement {
  readonly before: string;
  readonly after: string;
  /** The fields of the input that contain the two texts. */
  readonly names: readonly string[];
}

/** Finds the old and the new text of an edit by the field names that runtimes use. Returns undefined if there are none. */
export function findReplacement(input: object): TextReplacement | undefined {
  for (const names of replacementNames) {
    const [before, after] = names.map((name): unknown => Reflect.get(input, name));
    if (typeof before === "string" && typeof after === "string") return { names, before, after };
  }
  return undefined;
}

const replacementNames: readonly (readonly string[])[] = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldString", "newString"],
  ["oldText", "newText"],
];

/** True if a field of a tool's input contains a unified diff, judged by the field's name or content. */
export function isDiffField(name: string, text: string): boolean {
  return diffNames.has(name) || /^(diff --git |--- |@@ -)/m.test(text);
}

const diffNames = new Set(["diff", "patch", "unified_diff", "unifiedDiff"]);
