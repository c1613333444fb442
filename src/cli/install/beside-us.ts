/** Whether all of these can be imported from where we are: packages, or entries of theirs. */
export async function areBesideUs(...names: string[]): Promise<boolean> {
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
