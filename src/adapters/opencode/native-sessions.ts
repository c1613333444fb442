import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { backup, DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { z } from "zod";
import { toTitle } from "../../adapter-kit/records/user-records.ts";
import type { ConversationPaths, RecordFile } from "../../contracts/conversation.ts";
import type { NativeSessionsRequest } from "../../contracts/native-sessions.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { type Environment, homeIn } from "../../programs/environment.ts";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";
import { isRecord } from "../../wire/is-record.ts";
import { exportFrom, importSession, type Programs } from "./move-session.ts";

const Row = z.looseObject({
  id: z.string(),
  title: z.string().nullish(),
  directory: z.string().nullish(),
  time_updated: z.number().nullish(),
});

/**
 * Lists the sessions in the user's own database. Halyard reads the database itself, because OpenCode's own command
 * lists only the sessions of one project and may change the database.
 */
export async function listUserSessions(
  { cwd, id: prefix = "", limit, except }: NativeSessionsRequest,
  env: Environment,
): Promise<NativeSession[]> {
  const real = cwd === undefined ? undefined : await realpath(cwd).catch(() => cwd);
  const found = await withUserDatabase(env, (database) =>
    database
      .prepare(
        `SELECT id, title, directory, time_updated FROM session
         WHERE parent_id IS NULL AND substr(id, 1, length(?)) = ? AND (? IS NULL OR directory IN (?, ?))
         ORDER BY time_updated DESC LIMIT ?`,
      )
      .all(prefix, prefix, cwd ?? null, cwd ?? null, real ?? null, limit + except.size),
  );
  const sessions = (found ?? []).flatMap((row) => Row.safeParse(row).data ?? []);
  return sessions
    .filter(({ id }) => !except.has(id))
    .slice(0, limit)
    .map(toSession);
}

function toSession(row: z.infer<typeof Row>): NativeSession {
  const title = toTitle(row.title ?? undefined);
  return {
    id: row.id,
    ...(title !== undefined && { title }),
    ...(row.directory && { cwd: row.directory }),
    ...(row.time_updated && { updatedAt: new Date(row.time_updated).toISOString() }),
  };
}

/**
 * Imports a copy of one of the user's sessions into the database of Halyard, under a new id, and returns the new id.
 * OpenCode exports the session from a copy of the user's database, because OpenCode may change a database that it opens.
 * Throws `runtime_session_not_found` if the user has no such session.
 */
export async function importUserSession(
  paths: ConversationPaths,
  programs: Programs,
): Promise<string> {
  await mkdir(dirname(paths.runDir), { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(dirname(paths.runDir), "opencode-export-"));
  try {
    const database = join(scratch, "opencode.db");
    const { runtimeSessionId: id } = paths;
    const isFound = await withUserDatabase(programs.env, async (original) => {
      const row = original.prepare("SELECT id FROM session WHERE id = ?").get(id);
      if (row !== undefined) await backup(original, database);
      return row !== undefined;
    });
    if (!isFound)
      throw new HalyardError(
        "runtime_session_not_found",
        `OpenCode has no session ${id} in ${userDatabase(programs.env)}. Start a new session.`,
      );
    const { files, newId } = withNewIds(await exportFrom(database, paths, programs), id);
    await importSession(paths, files, programs);
    return newId;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Replaces the ids in an export, because the database of Halyard may already contain a copy of the session. */
function withNewIds(
  files: readonly RecordFile[],
  sessionId: string,
): { readonly files: readonly RecordFile[]; readonly newId: string } {
  const ids = new Map<string, string>();
  const renew = (id: string): string => {
    // The first 12 digits contain the time, by which OpenCode sorts. The rest is random.
    const fresh = ids.get(id) ?? id.slice(0, 16) + randomBytes(7).toString("hex");
    ids.set(id, fresh);
    return fresh;
  };
  const isId = (value: string) => /^(ses|msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(value);
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return isId(value) ? renew(value) : value;
    if (Array.isArray(value)) return value.map(walk);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  const renewed = files.map(({ path, content }) => ({
    path,
    content: Buffer.from(JSON.stringify(walk(JSON.parse(content.toString())))),
  }));
  return { files: renewed, newId: ids.get(sessionId) ?? sessionId };
}

/** Returns the path of the user's own database. */
function userDatabase(env: Environment): string {
  const data = join(env.XDG_DATA_HOME || join(homeIn(env), ".local", "share"), "opencode");
  const named = env.OPENCODE_DB;
  if (named) return isAbsolute(named) ? named : join(data, named);
  return join(data, "opencode.db");
}

/**
 * Opens the user's database for reading, and returns the result of `read`. Returns undefined if the database does not
 * exist. Throws `unsupported` if the database cannot be read, for example because it has another format.
 */
async function withUserDatabase<T>(
  env: Environment,
  read: (database: DatabaseSyncInstance) => T | Promise<T>,
): Promise<T | undefined> {
  const path = userDatabase(env);
  if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined;
  const isOpen = await stat(`${path}-wal`).then(
    ({ size }) => size > 0,
    () => false,
  );
  const url = pathToFileURL(path);
  // Without `immutable`, SQLite would create files beside a database that no process has open.
  if (!isOpen) url.searchParams.set("immutable", "1");
  try {
    using database = new DatabaseSync(url, { readOnly: true });
    return await read(database);
  } catch (cause) {
    const message = `OpenCode's database ${path} cannot be read: ${reasonOf(cause)}. Update OpenCode, and start it once.`;
    throw new HalyardError("unsupported", message, { cause });
  }
}
