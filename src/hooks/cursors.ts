import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SessionId } from "../schema/id.ts";
import type { HookOwnership } from "./outbox.ts";

/** The position up to which a session's payloads were delivered or stored in the outbox. */
const HookCursor = z.strictObject({
  sessionId: SessionId,
  /** The `seq` of the last event that was handled. */
  seq: z.number().int().nonnegative(),
  /** Identifies the process that handles the session. */
  owner: z.string(),
});
export type HookCursor = z.infer<typeof HookCursor>;

/**
 * Stores the cursors of all sessions with open deliveries, one file each. A cursor is written before the first event of
 * a session. If the process is killed, the events after the cursor may be undelivered.
 */
export class HookCursors {
  readonly #directory: string;
  readonly #owner: string;
  readonly #isAlive: (owner: string) => Promise<boolean>;

  constructor(directory: string, { owner, isAlive }: HookOwnership) {
    this.#directory = directory;
    this.#owner = owner;
    this.#isAlive = isAlive;
  }

  /**
   * Claims the cursor of a session. Returns the `seq` after which events are not handled yet: the given `seq`, or a
   * lower one if another process left events unhandled.
   */
  open(sessionId: SessionId, seq: number): number {
    const left = this.#read(sessionId)?.seq ?? seq;
    this.advance(sessionId, Math.min(left, seq));
    return Math.min(left, seq);
  }

  /** Records that the events up to `seq` are handled. Synchronous, because the process may be killed at any time. */
  advance(sessionId: SessionId, seq: number): void {
    const file = this.#fileOf(sessionId);
    const cursor: HookCursor = { sessionId, seq, owner: this.#owner };
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(cursor), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /**
   * Removes the cursor of a session that has ended, was detached or has no durable sink, unless another process claimed
   * it.
   */
  close(sessionId: SessionId): void {
    if ((this.#read(sessionId)?.owner ?? this.#owner) === this.#owner)
      rmSync(this.#fileOf(sessionId), { force: true });
  }

  /** Returns the cursors of processes that have exited. */
  async abandoned(): Promise<HookCursor[]> {
    // the directory does not exist before the first cursor is written
    const names = await readdir(this.#directory).catch(() => []);
    const found: HookCursor[] = [];
    for (const name of names) {
      const cursor = name.endsWith(SUFFIX) ? this.#readFile(name) : undefined;
      if (cursor && !(await this.#isAlive(cursor.owner))) found.push(cursor);
    }
    return found;
  }

  #read(sessionId: SessionId): HookCursor | undefined {
    return this.#readFile(`${sessionId}${SUFFIX}`);
  }

  /** Reads a cursor. Returns undefined if the file does not exist or is damaged. */
  #readFile(name: string): HookCursor | undefined {
    try {
      return HookCursor.parse(JSON.parse(readFileSync(join(this.#directory, name), "utf8")));
    } catch {
      return undefined;
    }
  }

  #fileOf(sessionId: SessionId): string {
    return join(this.#directory, `${sessionId}${SUFFIX}`);
  }
}

const SUFFIX = ".cursor";
