/** Returns the code of a system error, such as ENOENT. Returns undefined if the error has no code. */
export function errno(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
