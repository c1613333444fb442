import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readUserRecord, requireUserRecord } from "../../../adapter-kit/records/user-records.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { hasCode } from "../../../errors/has-code.ts";
import { readAgentFile, writeAgentFile } from "../../../permissions/agent-writable.ts";
import {
  copyAgentFiles,
  listStateFiles,
  MAX_BYTES,
} from "../../../permissions/copy-agent-files.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { ModelSource } from "../model.ts";
import { configDir } from "./environment.ts";
import { projectsIn } from "./sign-in.ts";

/** Copies the record of a forked conversation, unless both sessions use the user's own directory. */
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
  if (original === undefined) {
    const { claudeRecords } = await import("./native-sessions.ts"); // loads the transcript's parser
    const record = await requireUserRecord(claudeRecords(all), id, "Claude Code");
    const path = join(directory, "projects", record.path);
    if (source.kind === "given") writeAgentFile(stateDir, path, readUserRecord(record));
  } else if (source.kind === "given") {
    copyAgentFiles(original, stateDir, directory, isRecord);
  } else {
    copyToUser(original, join(directory, "projects"), projectsIn(all), isRecord);
  }
}

/** Copies records to the user's directory. Follows its links, which belong to the user. */
function copyToUser(
  from: string,
  directory: string,
  to: string,
  isRecord: (path: string) => boolean,
): void {
  for (const path of listStateFiles(from, directory).filter(isRecord)) {
    const text = readAgentFile(from, path, { maxBytes: MAX_BYTES });
    const file = join(to, relative(directory, path));
    // Does not replace a copy that the user has continued.
    if (text === undefined || !text.startsWith(textOf(file))) continue;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
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
