import { relative } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { copyAgentFiles } from "../../../permissions/copy-agent-files.ts";
import type { ModelSource } from "../model.ts";
import { configDir } from "./environment.ts";

/** Copies the record of a forked conversation, unless the new session uses the user's own directory. */
export function copyConversation({ fork, stateDir }: ConnectRequest, source: ModelSource): void {
  if (fork === undefined || source.kind === "own") return;
  const directory = relative(stateDir, configDir({ stateDir }));
  const isRecord = (path: string) => path.endsWith(`/${fork.runtimeSessionId}.jsonl`);
  copyAgentFiles(fork.stateDir, stateDir, directory, isRecord);
}
