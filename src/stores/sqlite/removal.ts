import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SessionId } from "../../schema/id.ts";
import type { BlockTable } from "./blocks.ts";

/**
 * Removes a session immediately and its blocks in steps, so that a large log does not delay other writers. If a crash
 * leaves blocks behind, the next removal or `reclaim` deletes them.
 */
export class Removal {
  readonly #blocks: BlockTable;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSyncInstance, blocks: BlockTable) {
    this.#blocks = blocks;
    this.#statements = prepareStatements(database);
  }

  /** Removes a session and some of its blocks. `advance` removes the rest. */
  begin(id: SessionId): void {
    const row: { key: number } | undefined = this.#statements.remove.get(id);
    if (row && !this.#blocks.removeSome(row.key)) this.#statements.begin.run(row.key);
  }

  /** Removes some blocks of a removed session. Returns false if no removed session had blocks left. */
  advance(): boolean {
    const row: { key: number } | undefined = this.#statements.next.get();
    if (row === undefined) return false;
    if (this.#blocks.removeSome(row.key)) this.#statements.end.run(row.key);
    return true;
  }
}

function prepareStatements(database: DatabaseSyncInstance) {
  return {
    remove: database.prepare("DELETE FROM sessions WHERE id = ? RETURNING key"),
    begin: database.prepare("INSERT INTO removals VALUES (?)"),
    next: database.prepare("SELECT key FROM removals LIMIT 1"),
    end: database.prepare("DELETE FROM removals WHERE key = ?"),
  };
}
