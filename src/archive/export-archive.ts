import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Store } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { fileReason } from "../errors/file-reason.ts";
import { requireSessionId } from "../errors/require-id.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import { secretsIn } from "../log/redaction/secrets.ts";
import type { Environment } from "../programs/environment.ts";
import type { Attachment } from "../schema/attachment.ts";
import type { StreamEvent } from "../schema/event.ts";
import { openTurnOf } from "../schema/session/open-turn.ts";
import type { SessionInfo } from "../schema/session.ts";
import { type AttachmentFiles, attachmentFiles } from "../session/attachments/attachment-files.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { ARCHIVE_VERSION, type ArchiveLine } from "./archive-line.ts";

/** Options of `exportArchive`. */
export interface ExportArchiveOptions {
  /** Halyard's home, which contains the sessions. */
  readonly home: string;
  /** The ids of the sessions. None of them may have a running or queued turn. */
  readonly sessions: readonly string[];
  /**
   * The secrets in these variables are redacted from the sessions and events, but not from attachments. Defaults to
   * none.
   */
  readonly env?: Environment | undefined;
  readonly now?: (() => Date) | undefined;
}

/** A summary of an archive's content. */
export interface ArchiveSummary {
  readonly sessions: readonly SessionInfo[];
  readonly events: number;
  readonly attachments: number;
}

/**
 * Writes sessions with their events and attachments to one file, which `importArchive` reads. An existing file is
 * replaced only when the new one is complete. The archive does not contain working files or the agents' own records.
 * Rejects if a session does not exist or has a running or queued turn, or if the file cannot be written.
 */
export async function exportArchive(
  file: string,
  { home, sessions, env = {}, now = () => new Date() }: ExportArchiveOptions,
): Promise<ArchiveSummary> {
  await using store = await openSqliteStore(join(home, "halyard.db"));
  const infos = await Promise.all(sessions.map((id) => requireArchivable(store, id)));
  const redactor = createRedactor(secretsIn(env));
  let events = 0;
  let attachments = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const line of archiveLines(store, home, infos, now())) {
      if (line.line === "event") events++;
      if (line.line === "attachment") attachments++;
      yield `${JSON.stringify(line.line === "attachment" ? line : redactor.redact(line))}\n`;
    }
  }
  const draft = `${file}.new`;
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(draft, { mode: 0o600 }));
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    if (cause instanceof HalyardError) throw cause;
    throw new HalyardError(
      "invalid_input",
      `Cannot write ${file}: ${fileReason(cause)}. Choose another path.`,
      { cause },
    );
  }
  return { sessions: infos, events, attachments };
}

async function requireArchivable(store: Store, text: string): Promise<SessionInfo> {
  const id = requireSessionId(text);
  const info = (await store.find(id))?.info;
  if (info === undefined)
    throw new HalyardError(
      "session_not_found",
      `Session "${text}" not found. Run "halyard sessions" to list sessions.`,
    );
  if (openTurnOf(info) === undefined) return info;
  throw new HalyardError(
    "invalid_input",
    `Session ${id} has a running or queued turn. Run "halyard wait ${id}" or "halyard stop ${id}" first.`,
  );
}

async function* archiveLines(
  store: Store,
  home: string,
  sessions: readonly SessionInfo[],
  now: Date,
): AsyncGenerator<ArchiveLine> {
  yield { line: "archive", version: ARCHIVE_VERSION, createdAt: now.toISOString() };
  for (const session of sessions) {
    yield { line: "session", session };
    const attached = new Map<string, Attachment>();
    for await (const event of eventsOf(store, session)) {
      if (event.type === "message")
        for (const one of event.attachments ?? []) attached.set(one.sha256, one);
      yield { line: "event", event };
    }
    yield* attachmentLines(filesOf(home, session), attached.values());
    yield { line: "end", sessionId: session.id, events: session.lastSeq };
  }
}

async function* attachmentLines(
  files: AttachmentFiles,
  attachments: Iterable<Attachment>,
): AsyncGenerator<ArchiveLine> {
  for (const attachment of attachments) {
    const content = (await files.read(attachment)).toString("base64");
    yield { line: "attachment", attachment, content };
  }
}

async function* eventsOf(store: Store, { id, lastSeq }: SessionInfo): AsyncGenerator<StreamEvent> {
  for (let after = 0; after < lastSeq; ) {
    const page = await store.read(id, { after, limit: Math.min(PAGE, lastSeq - after) });
    if (page.length === 0)
      throw new HalyardError(
        "store_corrupt",
        `Event ${after + 1} of ${id} is missing from the store, so the session cannot be exported. Restore a backup of the store.`,
      );
    yield* page;
    after += page.length;
  }
}

const PAGE = 1000;

/** Returns the attachment files of a session in a home. */
export function filesOf(home: string, { id }: SessionInfo): AttachmentFiles {
  const directories = () => ({ run: home, state: home });
  return attachmentFiles({ home, directories }, id);
}
