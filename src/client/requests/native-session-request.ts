import type { NativeSessionQuery } from "../../schema/runtimes/native-session.ts";
import type { RequestOptions } from "../connection.ts";

/** Returns the request that lists native sessions. Passes its paths to `toAbsolute`, because the server may have another cwd. */
export function nativeSessionRequest(
  path: string,
  query: NativeSessionQuery,
  toAbsolute: (path: string) => string,
): [method: string, path: string, options: RequestOptions] {
  const { cwd, id, limit, accountDir, on, options } = query;
  const paths = {
    ...(cwd !== undefined && { cwd: toAbsolute(cwd) }),
    ...(accountDir !== undefined && { accountDir: toAbsolute(accountDir) }),
  };
  const isRepeatable = true;
  if (options) return ["POST", path, { body: { ...query, ...paths }, isRepeatable }];
  const parameters = new URLSearchParams({
    ...paths,
    ...(id !== undefined && { id }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(on !== undefined && { on }),
  });
  return ["GET", `${path}?${parameters}`, { isRepeatable }];
}
