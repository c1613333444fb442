import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { reasonOf } from "../../core/error.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import type { ClientRequest } from "./client-requests.ts";
import { INVALID_PARAMS } from "./failure.ts";

type Params<M extends ClientRequest["method"]> = Extract<ClientRequest, { method: M }>["params"];

/** Reads a file of the working directory for the agent, or some lines of it. */
export async function readTextFile(
  cwd: string,
  { path, line, limit }: Params<"fs/read_text_file">,
): Promise<{ content: string }> {
  const file = await within(cwd, path);
  const text = await readFile(file, "utf8").catch((error) => {
    throw new JsonRpcError(RESOURCE_NOT_FOUND, `${path} cannot be read: ${reasonOf(error)}`);
  });
  if (line == null && limit == null) return { content: text };
  const lines = text.split(/(?<=\n)/);
  const from = Math.max(0, (line ?? 1) - 1);
  return { content: lines.slice(from, limit == null ? undefined : from + limit).join("") };
}

/** Writes a file of the working directory for the agent. */
export async function writeTextFile(
  cwd: string,
  { path, content }: Params<"fs/write_text_file">,
): Promise<Record<string, never>> {
  const file = await within(cwd, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (error) {
    throw new JsonRpcError(INVALID_PARAMS, `${path} cannot be written: ${reasonOf(error)}`);
  }
  return {};
}

/** The file itself, behind all links: no link leads out of the working directory. */
export async function within(cwd: string, path: string): Promise<string> {
  const [root, file] = await Promise.all([realpath(cwd), behindLinks(resolve(cwd, path))]);
  if (file === root || file.startsWith(root + sep)) return file;
  throw new JsonRpcError(INVALID_PARAMS, `${path} is outside of the working directory ${cwd}`);
}

/** Also of a file that is still to be written: what is there of its path counts. */
async function behindLinks(path: string): Promise<string> {
  let missing = "";
  for (let place = path; ; ) {
    try {
      return join(await realpath(place), missing);
    } catch (error) {
      if (dirname(place) === place) throw error;
      missing = join(place.slice(dirname(place).length), missing);
      place = dirname(place);
    }
  }
}

const RESOURCE_NOT_FOUND = -32002;
