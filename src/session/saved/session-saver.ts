import { basename, relative } from "node:path";
import type { ConversationCopy, ConversationPaths } from "../../contracts/conversation.ts";
import type { SavedRevision, SavedSessions } from "../../contracts/saved-sessions.ts";
import type { PackContents, Workspace } from "../../contracts/workspace.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Heads, SavedContent, SavedSession } from "../../schema/workspace/saved-session.ts";

/** The dependencies of a saver. */
export interface SessionSaverParts {
  readonly savedSessions: SavedSessions;
  /** The name of this machine. */
  readonly machine: string;
  /** Returns the current state of the session. */
  readonly info: () => SessionInfo;
  readonly conversation: ConversationCopy;
  readonly paths: Omit<ConversationPaths, "runtimeSessionId">;
}

/** The parts of a saved session that describe its files. */
type SavedFiles = Pick<SavedSession, "base" | "commits" | "packs">;

/** Saves the files and the conversation of a live session after each turn. Calls to `save` must not overlap. */
export class SessionSaver {
  readonly #parts: SessionSaverParts;
  #last: SavedRevision | undefined;
  #isRead = false;

  constructor(parts: SessionSaverParts) {
    this.#parts = parts;
  }

  /**
   * Saves the files of a checkpoint and the conversation. Transfers only content that is not saved yet, unless all files
   * have to be packed again. Rejects with `workspace_failed` if the files or the conversation are too large.
   */
  async save(workspace: Workspace, commit: string): Promise<void> {
    const { savedSessions, machine } = this.#parts;
    const info = this.#parts.info();
    const { id, checkout, cwd, turns, checkpoint } = info;
    if (!this.#isRead) this.#last = await savedSessions.read(id);
    this.#isRead = true;
    const heads = checkout && (await workspace.heads());
    const before = this.#last?.saved;
    const files = await this.#pack(workspace, {
      commit,
      first: checkpoint?.commit ?? commit,
      heads,
    });
    const saved: SavedSession = {
      version: 1,
      id,
      machine,
      turns,
      name: nameOf(workspace.root, before),
      cwd: relative(workspace.root, cwd),
      isRepository: workspace.isRepository,
      commit,
      ...files,
      ...(heads && { heads }),
      conversation: await this.#conversation(info),
    };
    this.#last = await savedSessions.write(id, saved, this.#last);
  }

  async #pack(
    workspace: Workspace,
    { commit, first, heads }: { commit: string; first: string; heads: Heads | undefined },
  ): Promise<SavedFiles> {
    const { id, checkout } = this.#parts.info();
    const before = this.#last?.saved;
    const tips = commitsIn(heads);
    const cloned = checkout?.url === undefined ? [] : [checkout.base];
    if (before !== undefined && before.packs.length < MAX_PACKS) {
      if (before.commit === commit && tips.every((tip) => commitsIn(before.heads).includes(tip))) {
        const { base, commits, packs } = before;
        return { base, commits, packs };
      }
      const added = await this.#put(workspace, {
        commits: [commit, ...tips],
        known: [before.commit],
        history: [...cloned, ...commitsIn(before.heads)],
      }).catch(() => undefined); // if an earlier commit no longer exists, everything is packed again
      if (added && sizeOf([...before.packs, added]) <= MAX_BYTES)
        return {
          base: before.base,
          commits: [...new Set([...before.commits, commit])],
          packs: [...before.packs, added],
        };
    }
    const base = before?.base ?? first;
    const commits = [...new Set([base, commit])];
    const whole = await this.#put(workspace, { commits: [...commits, ...tips], history: cloned });
    if (whole) return { base, commits, packs: [whole] };
    throw new HalyardError(
      "workspace_failed",
      `The files of ${id} are larger than ${MAX_BYTES / 2 ** 20} MiB after compression, so they were not saved for other machines. Add large files to .gitignore.`,
    );
  }

  async #put(workspace: Workspace, contents: PackContents): Promise<SavedContent | undefined> {
    const { savedSessions, info } = this.#parts;
    const pack = await workspace.pack(contents, { maxBytes: MAX_BYTES });
    return pack && savedSessions.put(info().id, pack, this.#last);
  }

  async #conversation({
    id,
    runtime,
    runtimeSessionId,
  }: SessionInfo): Promise<SavedSession["conversation"]> {
    const { savedSessions, conversation, paths } = this.#parts;
    if (runtimeSessionId === undefined) return [];
    const files = await conversation.read({ ...paths, runtimeSessionId });
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
    if (bytes > MAX_RECORD_BYTES) {
      const message = `${runtime}'s record of session ${id} is larger than ${MAX_RECORD_BYTES / 2 ** 20} MiB, so it was not saved for other machines. Run "halyard handoff ${id} --to ${runtime}" to continue in a new session.`;
      throw new HalyardError("workspace_failed", message);
    }
    const saved: SavedSession["conversation"] = [];
    for (const { path, content } of files)
      saved.push({ path, content: await savedSessions.put(id, content, this.#last) });
    return saved;
  }
}

function nameOf(root: string, before: SavedSession | undefined): string {
  const name = basename(root)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[.-]+/g, "");
  return before?.name ?? (name.slice(0, 80) || "files");
}

function commitsIn(heads: Heads | undefined): string[] {
  if (heads === undefined) return [];
  const { head, branches } = heads;
  return [...new Set([...Object.values(branches), ...("commit" in head ? [head.commit] : [])])];
}

function sizeOf(contents: readonly SavedContent[]): number {
  return contents.reduce((sum, { bytes }) => sum + bytes, 0);
}

const MAX_BYTES = 256 * 2 ** 20;
const MAX_RECORD_BYTES = 64 * 2 ** 20;
/**
 * The maximum number of packs. When it is reached, all files are packed again, so that a resume does not have to read
 * hundreds of packs.
 */
const MAX_PACKS = 40;
