import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import type { Store, StoredEvent, Writer } from "../contracts/store.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { fileReason } from "../errors/file-reason.ts";
import { parseInput } from "../errors/parse-input.ts";
import { makeHome } from "../files/make-home.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import { hasEnded } from "../log/projection.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { ArchiveLine } from "./archive-line.ts";
import { type ArchiveSummary, filesOf } from "./export-archive.ts";

/** Options of `importArchive`. */
export interface ImportArchiveOptions {
  /** Halyard's home, to which the sessions are added. Created if it does not exist. */
  readonly home: string;
}

/**
 * Adds the sessions of an archive as ended sessions, with their original ids. Rejects with `invalid_input` and adds no
 * session if the home already contains one of them, or if the archive is damaged.
 */
export async function importArchive(
  file: string,
  { home }: ImportArchiveOptions,
): Promise<ArchiveSummary> {
  const self = ownIdentity();
  await makeHome(home);
  await using store = await openSqliteStore(join(home, "halyard.db"));
  const sessions = await requireValid(file, store);
  const added: SessionInfo[] = [];
  let [events, attachments] = [0, 0];
  try {
    let current: SessionImport | undefined;
    for await (const line of linesOf(file)) {
      switch (line.line) {
        case "archive":
          break;
        case "session": {
          const info = toEnded(line.session);
          current = new SessionImport(await store.create(info, self), info);
          added.push(info);
          break;
        }
        case "event":
          events++;
          await current?.add(line.event);
          break;
        case "attachment":
          attachments++;
          if (current)
            filesOf(home, current.info).keep([
              { attachment: line.attachment, content: Buffer.from(line.content, "base64") },
            ]);
          break;
        case "end":
          await current?.finish();
          break;
      }
    }
  } catch (error) {
    for (const info of added) {
      await store.remove(info.id);
      await filesOf(home, info).remove();
    }
    throw error;
  }
  return { sessions, events, attachments };
}

/** Validates the whole archive before anything is written, and returns its sessions. */
async function requireValid(file: string, store: Store): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  let open: SessionInfo | undefined;
  let seq = 0;
  let isFirst = true;
  for await (const line of linesOf(file)) {
    if (isFirst !== (line.line === "archive"))
      throw damaged(file, isFirst ? "it has no header" : "it has a second header");
    isFirst = false;
    if (line.line === "session") {
      if (open) throw damaged(file, `the end of ${open.id} is missing`);
      open = line.session;
      seq = 0;
      sessions.push(open);
      if (await store.find(open.id))
        throw new HalyardError(
          "invalid_input",
          `Session ${open.id} already exists. Run "halyard rm ${open.id}" first, or import into another home with HALYARD_HOME.`,
        );
    }
    if (line.line === "event") {
      seq++;
      if (line.event.seq !== seq || line.event.sessionId !== open?.id)
        throw damaged(file, `event ${seq} of ${open?.id} is missing`);
    }
    if (line.line === "attachment") {
      const hash = createHash("sha256").update(Buffer.from(line.content, "base64")).digest("hex");
      if (hash !== line.attachment.sha256)
        throw damaged(file, "the hash of an attachment does not match its content");
    }
    if (line.line !== "end") continue;
    if (open?.id !== line.sessionId || seq !== line.events)
      throw damaged(file, `${line.sessionId} is not complete`);
    open = undefined;
  }
  if (open || isFirst) throw damaged(file, "its end is missing");
  return sessions;
}

async function* linesOf(file: string): AsyncGenerator<ArchiveLine> {
  const input = createReadStream(file);
  const bytes = input.pipe(createGunzip());
  input.on("error", (error) => bytes.destroy(error));
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseLine(file, line);
    }
    if (rest !== "") yield parseLine(file, rest);
  } catch (error) {
    throw error instanceof HalyardError ? error : readError(file, error);
  } finally {
    input.destroy();
  }
}

function parseLine(file: string, line: string): ArchiveLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw damaged(file, reasonOf(error));
  }
  return parseInput(ArchiveLine, value);
}

/** Returns the error for a file that cannot be read or is not a gzip file. */
function readError(file: string, cause: unknown): HalyardError {
  if (!(cause instanceof Error && "syscall" in cause)) return damaged(file, reasonOf(cause));
  const message = `${file} cannot be read: ${fileReason(cause)}. Pass a file that "halyard export --archive" has written.`;
  return new HalyardError("invalid_input", message, { cause });
}

function damaged(file: string, why: string): HalyardError {
  return new HalyardError(
    "invalid_input",
    `${file} is not a complete archive: ${why}. Export the sessions again.`,
  );
}

/**
 * Marks an imported session as ended and removes its pid and worktree, because its process, its files and its agent's
 * record do not exist on this machine. Removes the options and the trust, because the author of an archive must not
 * choose commands or trust directories on this machine.
 */
function toEnded({ pid, worktree, options, trust, ...info }: SessionInfo): SessionInfo {
  const state = hasEnded(info) ? info.state : "stopped";
  return { ...info, state, resumable: false, openRequests: [], lastSeq: 0 };
}

/** Writes the events of one session. Each block contains consecutive events with the same time and turn. */
class SessionImport {
  readonly info: SessionInfo;
  readonly #writer: Writer;
  #block: StreamEvent[] = [];

  constructor(writer: Writer, info: SessionInfo) {
    this.#writer = writer;
    this.info = info;
  }

  async add(event: StreamEvent): Promise<void> {
    const [first] = this.#block;
    const isSame = first && first.at === event.at && first.turnId === event.turnId;
    if ((first && !isSame) || this.#block.length >= MAX_BLOCK) await this.#write();
    this.#block.push(event);
  }

  async finish(): Promise<void> {
    await this.#write();
    await this.#writer.release();
  }

  async #write(): Promise<void> {
    const [first] = this.#block;
    const last = this.#block.at(-1);
    if (first === undefined || last === undefined) return;
    await this.#writer.append({
      firstSeq: first.seq,
      at: first.at,
      turnId: first.turnId,
      events: this.#block.map(toStored),
      info: { ...this.info, lastSeq: last.seq },
    });
    this.#block = [];
  }
}

const MAX_BLOCK = 500;

function toStored({ seq, at, sessionId, turnId, runtime, ...event }: StreamEvent): StoredEvent {
  return event;
}
