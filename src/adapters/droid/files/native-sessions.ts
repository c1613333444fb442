import { dirname, join } from "node:path";
import { z } from "zod";
import {
  readUserRecord,
  requireUserRecord,
  toTitle,
  type UserRecords,
} from "../../../adapter-kit/records/user-records.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { RecordFile } from "../../../contracts/conversation.ts";
import { readAgentFile } from "../../../permissions/agent-writable.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { NativeSession } from "../../../schema/runtimes/native-session.ts";
import { droidConversation } from "./conversation.ts";
import { userFactoryDir } from "./user-files.ts";

/** Describes where Droid writes records in the user's own directory (a folder per working directory) and how to read them. */
export function droidRecords(env: Environment): UserRecords {
  return {
    root: join(userFactoryDir(env), "sessions"),
    depth: 1,
    idOf: (name) => /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1],
    describe,
  };
}

const Start = z.looseObject({
  type: z.literal("session_start"),
  title: z.string().optional().catch(undefined),
  sessionTitle: z.string().optional().catch(undefined),
  cwd: z.string().optional().catch(undefined),
  callingSessionId: z.unknown().optional(),
});

/**
 * Returns the title and the working directory in a record. Returns undefined if the first entry is invalid, or if a
 * subagent wrote the record.
 */
function describe(entries: readonly unknown[]): Pick<NativeSession, "title" | "cwd"> | undefined {
  const start = Start.safeParse(entries[0]).data;
  if (start === undefined || start.callingSessionId != null) return undefined;
  const title = toTitle(start.sessionTitle) ?? toTitle(start.title);
  const { cwd } = start;
  return { ...(title !== undefined && { title }), ...(cwd !== undefined && { cwd }) };
}

/** Copies the record and settings of a native session from the user's directory into the Droid home of the new session. */
export async function copyUserSession(
  { cwd, host, runDir, stateDir }: ConnectRequest,
  id: string,
  env: Environment,
): Promise<void> {
  const record = await requireUserRecord(droidRecords(env), id, "Droid");
  const settingsPath = join(dirname(record.path), `${id}.settings.json`);
  const settings = readAgentFile(record.root, settingsPath);
  const files: RecordFile[] = [{ path: record.path, content: Buffer.from(readUserRecord(record)) }];
  if (settings !== undefined) files.push({ path: settingsPath, content: Buffer.from(settings) });
  await droidConversation.write({ cwd, host, runDir, stateDir, runtimeSessionId: id }, files);
}
