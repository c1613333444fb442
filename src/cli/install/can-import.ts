/**
 * Returns true if all of these packages or package entries can be imported, and false if one of them does not exist.
 * Rejects if a package throws while it loads.
 */
export async function canImport(...names: string[]): Promise<boolean> {
  try {
    for (const name of names) await import(name);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const codes: unknown[] = ["ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED"];
  return error instanceof Error && "code" in error && codes.includes(error.code);
}
