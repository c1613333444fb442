import { HalyardError } from "../../core/error.ts";
import type { Writer } from "../../core/store.ts";
import type { SessionId } from "../../schema/id.ts";
import { toRows } from "../block-row.ts";
import type { BlockTable } from "./blocks.ts";
import type { SessionTable } from "./sessions.ts";

interface WriterContext {
  readonly sessions: SessionTable;
  readonly blocks: BlockTable;
  readonly write: <T>(work: () => T) => Promise<T>;
}

/** The right to write one session while it is in that epoch. */
export function createWriter(
  id: SessionId,
  epoch: number,
  { sessions, blocks, write }: WriterContext,
): Writer {
  let failure: unknown;
  return {
    async append(block) {
      const rows = toRows(block);
      const info = JSON.stringify(block.info);
      try {
        await write(() => blocks.insert(sessions.advance(id, epoch, block, info), rows));
        failure = undefined;
      } catch (error) {
        failure = isGap(error) ? (failure ?? error) : error;
        throw failure;
      }
    },
    release: () => write(() => sessions.release(id, epoch)),
  };
}

/** A gap after a failed append is that failure's doing, and should be called by its name. */
function isGap(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "internal";
}
