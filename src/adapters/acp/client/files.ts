import { constants, realpathSync } from "node:fs";
import { fileReason } from "../../../errors/file-reason.ts";
import { isWithin } from "../../../files/is-within.ts";
import { openInside } from "../../../permissions/open-inside.ts";
import { locatePath, type PathScope } from "../../../permissions/path-policy.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { INVALID_PARAMS } from "../events/failure.ts";
import type { ClientRequest } from "./client-requests.ts";

type Params<M extends ClientRequest["method"]> = Extract<ClientRequest, { method: M }>["params"];

/**
 * Reads a file, or a range of its lines, for the agent. Throws a `JsonRpcError` if the file is outside the working
 * directory or cannot be read.
 */
export async function readTextFile(
  scope: PathScope,
  { path, line, limit }: Params<"fs/read_text_file">,
): Promise<{ content: string }> {
  const file = within(scope, path);
  const text = await readText(file).catch((error) => {
    throw new JsonRpcError(RESOURCE_NOT_FOUND, `${path} cannot be read: ${fileReason(error)}`);
  });
  if (line == null && limit == null) return { content: text };
  const lines = text.split(/(?<=\n)/);
  const from = Math.max(0, (line ?? 1) - 1);
  return { content: lines.slice(from, limit == null ? undefined : from + limit).join("") };
}

/**
 * Writes a file for the agent. Throws a `JsonRpcError` if the file is outside the working directory or cannot be
 * written.
 */
export async function writeTextFile(
  scope: PathScope,
  { path, content }: Params<"fs/write_text_file">,
): Promise<Record<string, never>> {
  const { root, real } = within(scope, path);
  try {
    await using file = await openInside(root, real, constants.O_WRONLY | constants.O_CREAT);
    await file.truncate(0);
    await file.writeFile(content);
  } catch (error) {
    throw new JsonRpcError(INVALID_PARAMS, `${path} cannot be written: ${fileReason(error)}`);
  }
  return {};
}

interface ResolvedPath {
  readonly root: string;
  readonly real: string;
}

/** Resolves a path and its symbolic links. Throws a `JsonRpcError` if the path is outside the working directory. */
export function within({ cwd, protectedDirs }: PathScope, path: string): ResolvedPath {
  const root = realpathSync(cwd);
  const found = locatePath(path, { cwd, protectedDirs });
  if (found.location !== "outside" && isWithin(found.real, root)) return { root, real: found.real };
  throw new JsonRpcError(INVALID_PARAMS, `${path} is outside the working directory ${cwd}.`);
}

async function readText({ root, real }: ResolvedPath): Promise<string> {
  await using file = await openInside(root, real, constants.O_RDONLY);
  return await file.readFile("utf8");
}

const RESOURCE_NOT_FOUND = -32002;
