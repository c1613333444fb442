import { open, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { readUserRecord, requireUserRecord } from "../../adapter-kit/records/user-records.ts";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { fileReason } from "../../errors/file-reason.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { listAgentFiles, readAgentFile, writeAgentFile } from "../../permissions/agent-writable.ts";
import { copyAgentFiles } from "../../permissions/copy-agent-files.ts";
import type { Environment } from "../../programs/environment.ts";
import { PiOptions } from "../../schema/runtimes/runtime-options.ts";
import { piRecords } from "./native-sessions.ts";

/** Returns the directory that contains Pi's session files. */
export const sessionsDir = (stateDir: string): string => join(stateDir, "pi");

/**
 * Finds the session file to resume. Throws `runtime_session_not_found` if it is missing or unreadable, because Pi
 * itself would silently start a new session.
 */
async function findSessionFile(stateDir: string, sessionId: string): Promise<string> {
  const directory = sessionsDir(stateDir);
  const path = relative(stateDir, directory);
  const names = listAgentFiles(stateDir, path).map(({ name }) => name);
  for (const name of names.filter((name) => name.endsWith(`_${sessionId}.jsonl`))) {
    const head = readAgentFile(stateDir, join(path, name), { maxBytes: HEADER_BYTES }) ?? "";
    if (sessionIdIn(head) === sessionId) return join(directory, name);
  }
  const message = `Pi has no record of session ${sessionId} in ${directory}. Start a new session.`;
  throw new HalyardError("runtime_session_not_found", message);
}

/**
 * Copies the file of the conversation to fork to the new session's state directory, because a container contains only its
 * own session's files. Returns the path of the copy, or undefined if the session is not a fork.
 */
export async function forkFileFor(
  { fork, stateDir, env: given }: ConnectRequest,
  env: Environment,
): Promise<string | undefined> {
  if (fork === undefined) return undefined;
  const { runtimeSessionId: id, stateDir: original } = fork;
  const directory = relative(stateDir, sessionsDir(stateDir));
  if (original === undefined) {
    const record = await requireUserRecord(piRecords({ ...env, ...given }), id, "Pi");
    const path = join(directory, basename(record.path));
    writeAgentFile(stateDir, path, readUserRecord(record));
    return join(stateDir, path);
  }
  const name = basename(await findSessionFile(original, id));
  copyAgentFiles(original, stateDir, directory, (path) => basename(path) === name);
  return join(stateDir, directory, name);
}

/** Creates the file's directory and returns the session id in the file, or undefined if the file contains none. */
async function prepareFile(file: string): Promise<string | undefined> {
  try {
    await makeDirectory(dirname(file));
    return await readSessionId(file);
  } catch (cause) {
    const message = `options.sessionFile: ${file} cannot be used: ${fileReason(cause)}. Set another file.`;
    throw new HalyardError("invalid_input", message, { cause });
  }
}

/**
 * Returns the path of the session file for Pi. If the host has its own files, returns the session id, with which Pi finds
 * the file itself. Returns undefined if Pi creates a new file. Throws `runtime_session_not_found` if the file of the
 * session to resume is missing, and `invalid_input` if the option `sessionFile` names an unusable file.
 */
export async function sessionFileFor(request: ConnectRequest): Promise<string | undefined> {
  const { resume, stateDir } = request;
  const { sessionFile: file } = parseInput(PiOptions, request.options);
  if (file === undefined) {
    const hostHasOwnFiles = request.host.hasOwnFiles === true;
    // On a host with its own files, Pi finds the session file by its id.
    return resume === undefined || hostHasOwnFiles ? resume : findSessionFile(stateDir, resume);
  }
  const id = await prepareFile(file);
  const hasContent = await stat(file)
    .then(({ size }) => size > 0)
    .catch(() => false);
  if (hasContent && id === undefined)
    throw new HalyardError(
      "invalid_input",
      `options.sessionFile: ${file} is not a Pi session file. Set another file.`,
    );
  if (resume === undefined || resume === id) return file;
  const message = `Pi has no record of session ${resume} in ${file}. Start a new session.`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** Reads the session id from the first line of the file. */
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
