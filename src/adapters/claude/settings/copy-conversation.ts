import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { readUserRecord, requireUserRecord } from "../../../adapter-kit/records/user-records.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { hasCode } from "../../../errors/has-code.ts";
import { readAgentFile, writeAgentFile } from "../../../permissions/agent-writable.ts";
import {
  copyAgentFiles,
  listStateFiles,
  WHOLE_RECORD,
} from "../../../permissions/copy-agent-files.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { ModelSource } from "../model.ts";
import { configDir } from "./environment.ts";
import { projectsIn } from "./sign-in.ts";
import { writeUserFile } from "./user-file.ts";

/**
 * Copies the record of a forked conversation, unless both sessions use the user's own directory. Rejects with
 * `runtime_session_not_found` if neither the original session's directory nor the user's own directory contains the
 * record. If the fork uses the user's own directory and Halyard started the original session, Claude itself reports the
 * missing record.
 */
export async function copyConversation(
  { fork, stateDir, env: given }: ConnectRequest,
  source: ModelSource,
  env: Environment,
): Promise<void> {
  if (fork === undefined) return;
  const directory = relative(stateDir, configDir({ stateDir }));
  const { runtimeSessionId: id, stateDir: original } = fork;
  const all = { ...env, ...given };
  const isRecord = (path: string) => path.endsWith(`/${id}.jsonl`);
  if (source.kind === "own" && original !== undefined) {
    copyToUser(original, join(directory, "projects"), projectsIn(all), isRecord);
    return;
  }
  if (original !== undefined && copyAgentFiles(original, stateDir, directory, isRecord).length > 0)
    return;
  // The original session used the user's own directory.
  const { claudeRecords } = await import("./native-sessions.ts"); // loads the transcript's parser
  const record = await requireUserRecord(claudeRecords(all), id, "Claude Code");
  const path = join(directory, "projects", record.path);
  if (source.kind === "given") writeAgentFile(stateDir, path, readUserRecord(record));
}

/** Copies records to the user's directory, unless the user has continued the copy there. */
function copyToUser(
  from: string,
  directory: string,
  to: string,
  isRecord: (path: string) => boolean,
): void {
  for (const path of listStateFiles(from, directory).filter(isRecord)) {
    const text = readAgentFile(from, path, WHOLE_RECORD);
    const copy = relative(directory, path);
    if (text?.startsWith(textOf(join(to, copy)))) writeUserFile(to, copy, text);
  }
}

/** Returns the content of a file, or an empty string if it does not exist. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
