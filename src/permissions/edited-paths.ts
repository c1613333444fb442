/**
 * Returns every path in the input of an editing tool: in fields whose name indicates a path, and in patches. Returns
 * undefined if the input contains no path, or if a path cannot be determined.
 */
export function editedPaths(input: unknown): string[] | undefined {
  const found: string[] = [];
  const isKnown = collect(input, found, 0);
  return isKnown && found.length > 0 ? [...new Set(found)] : undefined;
}

/** Collects the paths in a value. Returns false if a path cannot be determined. */
function collect(value: unknown, found: string[], depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) return false;
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

/**
 * Collects the files of a patch in the `apply_patch` format. Returns false for another format, whose paths are not
 * reliable.
 */
function collectPatch(patch: string, found: string[]): boolean {
  const headers = [...patch.matchAll(/^\s*\*\*\*(.*)$/gm)].map(([, text = ""]) => text.trim());
  const files = headers.filter(
    (header) => !/^(?:Begin Patch|End Patch|End of File)$/i.test(header),
  );
  for (const header of files) {
    const [, path] = /^(?:(?:Add|Update|Delete) File|Move to):\s*(.+)$/i.exec(header) ?? [];
    if (path === undefined) return false;
    found.push(path);
  }
  return files.length > 0;
}

const PATH = /path|file|uri$|^(?:destination|dest|source|target|from|to)$/i;
const NO_PATH = /text|content|type|mode|size|count|encoding|diff/i;
const PATCH = /^(?:input|patch|patch_?text)$/i;
const MAX_DEPTH = 8;
