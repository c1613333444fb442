/**
 * Returns every path that the input of an editing tool names, whatever the runtime calls the fields; undefined if
 * there is none, or if a field that should hold a path holds something else.
 */
export function editedPaths(input: unknown): string[] | undefined {
  const found: string[] = [];
  const isKnown = collect(input, found, 0);
  return isKnown && found.length > 0 ? [...new Set(found)] : undefined;
}

/** Returns false if some path cannot be made out. */
function collect(value: unknown, found: string[], depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.every((each) => collect(each, found, depth + 1));
  return Object.entries(value).every(([name, field]) => {
    if (PATCH.test(name) && typeof field === "string") return collectPatch(field, found);
    if (PATH.test(name) && !NO_PATH.test(name)) return collectPaths(field, found, depth);
    return collect(field, found, depth + 1);
  });
}

function collectPaths(field: unknown, found: string[], depth: number): boolean {
  if (field === undefined || field === null) return true;
  if (typeof field === "string") {
    found.push(field);
    return true;
  }
  if (Array.isArray(field)) return field.every((each) => collectPaths(each, found, depth + 1));
  return typeof field === "object" && collect(field, found, depth + 1);
}

/** The files of a patch in the format of `apply_patch`; a patch in another format names none that we could trust. */
function collectPatch(patch: string, found: string[]): boolean {
  const headers = [...patch.matchAll(/^\s*\*\*\*(.*)$/gm)].map(([, words = ""]) => words.trim());
  const files = headers.filter((words) => !/^(?:Begin Patch|End Patch|End of File)$/i.test(words));
  for (const words of files) {
    const [, path] = /^(?:(?:Add|Update|Delete) File|Move to):\s*(.+)$/i.exec(words) ?? [];
    if (path === undefined) return false;
    found.push(path);
  }
  return files.length > 0;
}

const PATH = /path|file|uri$|^(?:destination|dest|source|target|from|to)$/i;
const NO_PATH = /text|content|type|mode|size|count|encoding|diff/i;
const PATCH = /^(?:input|patch|patch_?text)$/i;
const DEEPEST = 8;
