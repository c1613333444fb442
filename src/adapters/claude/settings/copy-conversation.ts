import { join, relative } from "node:path";
import { readUserRecord, requireUserRecord } from "../../../adapter-kit/records/user-records.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { writeAgentFile } from "../../../permissions/agent-writable.ts";
import { copyAgentFiles } from "../../../permissions/copy-agent-files.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { ModelSource } from "../model.ts";
import { configDir } from "./environment.ts";

/** Copies the record of a forked conversation, unless the new session uses the user's own directory. */
export async function copyConversation(
  { fork, stateDir, env: given }: ConnectRequest,
  source: ModelSource,
  env: Environment,
): Promise<void> {
  if (fork === undefined) return;
  const directory = relative(stateDir, configDir({ stateDir }));
  const { runtimeSessionId: id, stateDir: original } = fork;
  if (original === undefined) {
    const { claudeRecords } = await import("./native-sessions.ts"); // loads the transcript's parser
    const record = await requireUserRecord(claudeRecords({ ...env, ...given }), id, "Claude Code");
    const path = join(directory, "projects", record.path);
    if (source.kind === "given") writeAgentFile(stateDir, path, readUserRecord(record));
  } else if (source.kind === "given") {
    copyAgentFiles(original, stateDir, directory, (path) => path.endsWith(`/${id}.jsonl`));
  }
}
