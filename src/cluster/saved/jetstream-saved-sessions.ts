import type { SavedRevision, SavedSessions } from "../../contracts/saved-sessions.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";
import { type SavedContent, SavedSession } from "../../schema/workspace/saved-session.ts";
import { deleteLast } from "../../stores/jetstream/delete-last.ts";
import { ensureStream } from "../../stores/jetstream/ensure-stream.ts";
import {
  isWrongSequence,
  TakenSequenceError,
  toStreamError,
} from "../../stores/jetstream/errors.ts";
import type { NatsClient } from "../../stores/jetstream/nats.ts";
import { repeatRequest, repeatUntilFound } from "../../stores/jetstream/repeat.ts";
import type { ClusterSubjects } from "../subjects.ts";
import { plain, type Seal } from "./seal.ts";

/** Options of `openSavedSessions`. */
export interface SavedSessionsOptions {
  readonly subjects: ClusterSubjects;
  /** The number of servers that store each piece. Applies if the stream does not exist yet. */
  readonly replicas: number;
  /** Encrypts the pieces. Defaults to no encryption. */
  readonly seal?: Seal | undefined;
}

/** Opens a cluster's saved sessions, and creates their stream if it does not exist. */
export async function openSavedSessions(
  client: NatsClient,
  options: SavedSessionsOptions,
): Promise<SavedSessions> {
  const { fileStream: name, files } = options.subjects;
  const config = {
    name,
    subjects: [files],
    num_replicas: options.replicas,
    max_msgs_per_subject: 1,
    discard: DISCARD_NEW,
  };
  await ensureStream(client, config, PATIENCE_MS);
  return new JetStreamSavedSessions(client, options);
}

/**
 * Stores sessions' files in a stream. A piece is one message whose subject contains the name of its content. The list
 * of a session's pieces is the last message on a subject. The servers replace the list only if it is still the list
 * that the writer has read.
 *
 * A deletion can arrive late: its sender may be paused, or the servers may process a request after its sender has given
 * up. No deletion affects a piece that a list needs, because:
 * - A list contains only pieces of the list that it replaces, and pieces that were stored after that list. A piece that
 *   the replaced list does not contain is stored again, with a higher sequence, even if it still exists.
 * - A deletion names the sequence of a piece that was stored before a list without it, and affects no later message.
 * - A piece is deleted one list after the first list without it. While the servers change their leader, they may accept
 *   a list that replaces the second-to-last list, whose pieces are then needed.
 */
class JetStreamSavedSessions implements SavedSessions {
  readonly #client: NatsClient;
  readonly #subjects: ClusterSubjects;
  readonly #seal: Seal;

  constructor(client: NatsClient, { subjects, seal = plain }: SavedSessionsOptions) {
    this.#client = client;
    this.#subjects = subjects;
    this.#seal = seal;
  }

  async put(
    id: SessionId,
    bytes: Buffer,
    replacing: SavedRevision | undefined,
  ): Promise<SavedContent> {
    const listed = new Set(replacing && piecesOf(replacing.saved));
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const name = this.#seal.name(piece);
      if (!listed.has(name))
        await this.#publish(this.#subjects.piece(id, name), piece).catch((error) => {
          throw this.#toError(error);
        });
      pieces.push(name);
    }
    return { bytes: bytes.length, pieces };
  }

  async get(id: SessionId, { pieces, bytes }: SavedContent): Promise<Buffer> {
    const found: Buffer[] = [];
    for (const name of pieces) {
      const piece = await repeatUntilFound(() => this.#last(this.#subjects.piece(id, name)));
      if (piece === undefined || this.#seal.name(piece.content) !== name)
        throw new HalyardError(
          "store_corrupt",
          `A part of the saved files of ${id} is missing or damaged. ${onItsMachine(id)}`,
        );
      found.push(piece.content);
    }
    const content = Buffer.concat(found);
    if (content.length === bytes) return content;
    throw new HalyardError(
      "store_corrupt",
      `The saved files of ${id} are incomplete. ${onItsMachine(id)}`,
    );
  }

  async read(id: SessionId): Promise<SavedRevision | undefined> {
    const found = await this.#last(this.#subjects.saved(id));
    if (found === undefined) return undefined;
    const saved = SavedSession.safeParse(JSON.parse(found.content.toString()));
    if (saved.success) {
      const unused = without(await this.#storedPieces(id), piecesOf(saved.data));
      return { saved: saved.data, revision: found.seq, unused };
    }
    throw new HalyardError(
      "unsupported",
      `Session ${id} was saved by another version of Halyard. Install the same version on all workers.`,
    );
  }

  async write(
    id: SessionId,
    saved: SavedSession,
    replacing: SavedRevision | undefined,
  ): Promise<SavedRevision> {
    const content = Buffer.from(JSON.stringify(saved));
    const subject = this.#subjects.saved(id);
    const revision = await this.#publish(subject, content, replacing?.revision ?? 0).catch(
      async (error) => {
        if (!isWrongSequence(error)) throw this.#toError(error);
        // The acknowledgment of an earlier attempt may have been lost.
        const found = await this.#last(subject);
        if (found?.content.equals(content)) return found.seq;
        throw new HalyardError(
          "session_owned",
          `Another machine has taken over session ${id}, so this machine can no longer save it. Run "halyard sessions" to see the machine that runs it.`,
        );
      },
    );
    if (replacing === undefined) return { saved, revision, unused: [] };
    const listed = piecesOf(saved);
    const unused = await this.#release(id, without(replacing.unused, listed), replacing.revision);
    return { saved, revision, unused: [...unused, ...without(piecesOf(replacing.saved), listed)] };
  }

  async remove(id: SessionId): Promise<void> {
    await this.#delete({ subject: this.#subjects.saved(id) }); // first, so that the list never refers to deleted pieces
    for (const name of await this.#storedPieces(id))
      await this.#delete({ subject: this.#subjects.piece(id, name) });
  }

  /**
   * Deletes the pieces that were stored before the list with the sequence `before`. Returns the names of the remaining
   * pieces, which were stored later or could not be deleted, for example because the servers do not respond. The next
   * write tries again to delete them.
   */
  async #release(id: SessionId, names: readonly string[], before: number): Promise<string[]> {
    const left = new Set(names);
    try {
      for (const name of names) {
        if (await this.#delete({ subject: this.#subjects.piece(id, name), before }))
          left.delete(name);
      }
    } catch {} // the list is stored, so the session is saved
    return [...left];
  }

  /**
   * Deletes the message on a subject. If `before` is given, deletes only a message that was stored before this sequence,
   * and returns false if the message was stored later.
   */
  #delete(request: Parameters<typeof deleteLast>[2]): Promise<boolean> {
    return this.#repeat(() => deleteLast(this.#client, this.#subjects.fileStream, request));
  }

  async #storedPieces(id: SessionId): Promise<string[]> {
    const { streams } = this.#client.manager;
    const subject = this.#subjects.piece(id, "*");
    const query = { subjects_filter: subject };
    const { state } = await this.#repeat(() => streams.info(this.#subjects.fileStream, query));
    return Object.keys(state.subjects ?? {}).map((found) => found.slice(subject.length - 1));
  }

  /**
   * Publishes after the message with the stream sequence `expected`, or as the first message if `expected` is 0.
   * Replaces any message if `expected` is omitted. The message id contains `expected`: before 2.9.21, replicated
   * servers may accept two messages with the same `expected`, but never two with the same id.
   */
  #publish(subject: string, content: Buffer, expected?: number): Promise<number> {
    const sealed = this.#seal.seal(content, subject);
    return repeatRequest(this.#client.connection, PATIENCE_MS, async () => {
      const headers = this.#client.newHeaders();
      headers.set(KIND, this.#seal.kind);
      const { seq, duplicate } = await this.#client.publisher.publish(subject, sealed, {
        headers,
        timeout: ATTEMPT_MS,
        ...(expected !== undefined && { expect: { lastSubjectSequence: expected } }),
        ...(expected !== undefined && expected > 0 && { msgID: `${subject} ${expected}` }),
      });
      if (duplicate) throw new TakenSequenceError(`another message follows message ${expected}`);
      return seq;
    });
  }

  async #last(subject: string): Promise<{ content: Buffer; seq: number } | undefined> {
    const { streams } = this.#client.manager;
    const query = { last_by_subj: subject };
    const found = await this.#repeat(() => streams.getMessage(this.#subjects.fileStream, query));
    if (found === null) return undefined;
    const kind = found.header.get(KIND);
    if (kind !== this.#seal.kind)
      throw new HalyardError(
        "invalid_input",
        kind === "none"
          ? "The session was saved without encryption. Start this worker without --key-file, or start a new session."
          : "The saved files are encrypted. Start this worker with the --key-file of the other workers.",
      );
    return { content: this.#seal.open(Buffer.from(found.data), subject), seq: found.seq };
  }

  async #repeat<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await repeatRequest(this.#client.connection, PATIENCE_MS, request);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  #toError(error: unknown): Error {
    return toStreamError(error, this.#client.connection.getServer());
  }
}

function piecesOf({ packs, conversation }: SavedSession): string[] {
  const contents = [...packs, ...conversation.map(({ content }) => content)];
  return contents.flatMap(({ pieces }) => pieces);
}

/** Returns the names that are not excluded, each of them once. */
function without(names: readonly string[], excluded: readonly string[]): string[] {
  const known = new Set(excluded);
  return [...new Set(names)].filter((name) => !known.has(name));
}

/** A full stream rejects new pieces instead of deleting old ones. */
const DISCARD_NEW = "new" as const;
const KIND = "Halyard-Seal";
/** The maximum size of a piece in bytes, below NATS's default message limit of 1 MiB. */
const PIECE_BYTES = 512 * 1024;
const ATTEMPT_MS = 5_000;
const PATIENCE_MS = 20_000;

const onItsMachine = (id: SessionId): string =>
  `Start the worker on the session's own machine again and run "halyard resume ${id}", or start a new session.`;
