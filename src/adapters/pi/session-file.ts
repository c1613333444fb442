import { mkdir, open, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { listAgentFiles, readAgentFile } from "../../core/agent-writable.ts";
import { HalyardError } from "../../core/error.ts";
import { parseInput } from "../../core/parse-input.ts";
import { PiOptions } from "../../schema/runtime-options.ts";

/** Where Pi's records of a session are kept. */
export const sessionsDir = (stateDir: string): string => join(stateDir, "pi");

/**
 * The record of a session that is to be resumed. Pi itself would start afresh without a word where there is none,
 * or where it cannot be read.
 */
async function findSessionFile(stateDir: string, sessionId: string): Promise<string> {
  const directory = sessionsDir(stateDir);
  const path = relative(stateDir, directory);
  const names = listAgentFiles(stateDir, path).map(({ name }) => name);
  for (const name of names.filter((name) => name.endsWith(`_${sessionId}.jsonl`))) {
    const head = readAgentFile(stateDir, join(path, name), { maxBytes: HEADER_BYTES }) ?? "";
    if (sessionIdIn(head) === sessionId) return join(directory, name);
  }
  const message = `Pi has no record of a session ${sessionId} in ${directory}`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** The file that Pi is to work with, where it is not a new one of Pi's own making. */
export async function sessionFileFor(request: ConnectRequest): Promise<string | undefined> {
  const { resume, stateDir } = request;
  const { sessionFile: file } = parseInput(PiOptions, request.options);
  if (file === undefined) {
    const isOutOfSight = request.host.hasOwnFiles === true; // Pi looks for the id itself
    return resume === undefined || isOutOfSight ? resume : findSessionFile(stateDir, resume);
  }
  await mkdir(dirname(file), { recursive: true });
  const id = await readSessionId(file);
  const isThere = await stat(file)
    .then(({ size }) => size > 0)
    .catch(() => false);
  if (isThere && id === undefined)
    throw new HalyardError("invalid_input", `options.sessionFile: ${file} is no session of Pi's`);
  if (resume === undefined || resume === id) return file;
  const message = `Pi has no record of a session ${resume} in ${file}`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** The id in the first line of the file, which is never long. */
async function readSessionId(file: string): Promise<string | undefined> {
  await using handle = await open(file).catch(() => null);
  if (handle === null) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0);
  return sessionIdIn(buffer.toString("utf8", 0, bytesRead));
}

const HEADER_BYTES = 64 * 1024;

function sessionIdIn(text: string): string | undefined {
  const [line = ""] = text.split("\n");
  try {
    const header: unknown = JSON.parse(line);
    if (typeof header !== "object" || header === null) return undefined;
    if (!("type" in header) || header.type !== "session" || !("id" in header)) return undefined;
    return typeof header.id === "string" ? header.id : undefined;
  } catch {
    return undefined;
  }
}
