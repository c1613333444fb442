import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { ConversationPaths, RecordFile } from "../../contracts/conversation.ts";
import { HalyardError } from "../../errors/error.ts";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";
import { ownDirectories } from "./command.ts";
import { seedPluginDirectory } from "./config/plugin-directory.ts";
import { findOpenCode } from "./find.ts";

/** How to find OpenCode, and its environment. */
export interface Programs {
  readonly env: Environment;
  readonly runtimesDir: string;
  readonly bin?: string | undefined;
}

/**
 * Exports a session with OpenCode's own command. A Halyard home's sessions share a database, so no file belongs to only
 * one session.
 */
export async function exportSession(
  paths: ConversationPaths,
  programs: Programs,
): Promise<readonly RecordFile[]> {
  return exportFrom(databaseOf(paths), paths, programs);
}

/** Exports a session from a database with OpenCode's own command. Returns no file if the command prints no JSON. */
export async function exportFrom(
  database: string,
  paths: ConversationPaths,
  programs: Programs,
): Promise<readonly RecordFile[]> {
  const text = await run(["export", paths.runtimeSessionId], { ...paths, database }, programs);
  const start = text.indexOf("{");
  return start < 0 ? [] : [{ path: "session.json", content: Buffer.from(text.slice(start)) }];
}

const Exported = z.looseObject({ info: z.looseObject({ directory: z.string() }) });

/**
 * Imports a session with OpenCode's own command. Replaces the session's directory with `cwd`. Does nothing if `files` is
 * empty.
 */
export async function importSession(
  paths: ConversationPaths,
  files: readonly RecordFile[],
  programs: Programs,
): Promise<void> {
  const [file] = files;
  if (file === undefined) return;
  const exported = Exported.parse(JSON.parse(file.content.toString()));
  const moved = { ...exported, info: { ...exported.info, directory: paths.cwd } };
  await mkdir(dirname(paths.runDir), { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(dirname(paths.runDir), "opencode-import-"));
  try {
    const path = join(scratch, "session.json");
    await writeFile(path, JSON.stringify(moved), { mode: 0o600 });
    await run(["import", path], { ...paths, database: databaseOf(paths) }, programs);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Returns the database that the sessions of a Halyard home share. */
function databaseOf({ stateDir }: ConversationPaths): string {
  return join(dirname(stateDir), "opencode", "opencode.db");
}

async function run(
  args: readonly string[],
  { stateDir, cwd, database }: ConversationPaths & { readonly database: string },
  programs: Programs,
): Promise<string> {
  const { file } = await findOpenCode(programs);
  const dataDir = join(dirname(stateDir), "opencode");
  seedPluginDirectory(dataDir);
  const env = allowedEnvironment(programs.env, {
    ...ownDirectories(dataDir),
    OPENCODE_DB: database,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_SHARE: "1",
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  });
  return new Promise((resolve, reject) => {
    const options = { cwd, env, maxBuffer: MAX_BYTES, timeout: TIMEOUT_MS };
    execFile(file, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const message = `OpenCode cannot ${args[0]} the session. Run "halyard runtime doctor opencode" to check OpenCode. Reason: ${stderr.trim() || error.message}`;
      reject(new HalyardError("agent_failed", message, { cause: error }));
    });
  });
}

const MAX_BYTES = 64 * 2 ** 20;
const TIMEOUT_MS = 60_000;
