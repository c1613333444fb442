import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { hasCode } from "../../../errors/has-code.ts";
import { readAgentFile } from "../../../permissions/agent-writable.ts";
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
export function copyConversation(
  { fork, stateDir, env: given }: ConnectRequest,
  source: ModelSource,
  env: Environment,
): void {
  if (fork === undefined) return;
  const directory = relative(stateDir, configDir({ stateDir }));
  const isRecord = (path: string) => path.endsWith(`/${fork.runtimeSessionId}.jsonl`);
  if (source.kind === "given") copyAgentFiles(fork.stateDir, stateDir, directory, isRecord);
  else
    copyToUser(
      fork.stateDir,
      join(directory, "projects"),
      projectsIn({ ...env, ...given }),
      isRecord,
    );
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
