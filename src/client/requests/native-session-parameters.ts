import type { NativeSessionQuery } from "../../schema/runtimes/native-session.ts";

/** Returns the query parameters that list native sessions, with paths that the server resolves as this process does. */
export function toParameters(
  { cwd, id, limit, accountDir, on, options }: NativeSessionQuery,
  toAbsolute: (path: string) => string,
): URLSearchParams {
  return new URLSearchParams({
    ...(cwd !== undefined && { cwd: toAbsolute(cwd) }),
    ...(id !== undefined && { id }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(accountDir !== undefined && { accountDir: toAbsolute(accountDir) }),
    ...(on !== undefined && { on }),
    ...(options && { options: JSON.stringify(options) }),
  });
}
