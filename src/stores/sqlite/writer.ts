import type { Block, Writer } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { toRows } from "../block-row.ts";
import type { BlockTable } from "./blocks.ts";
import type { GroupCommit } from "./commit.ts";
import type { Claim, SessionTable } from "./sessions.ts";

interface WriterContext {
  readonly sessions: SessionTable;
  readonly blocks: BlockTable;
  readonly write: GroupCommit["write"];
}

/** Creates a writer for one session. Its appends fail when its claim is no longer valid. */
export function createWriter(claim: Claim, { sessions, blocks, write }: WriterContext): Writer {
  let failure: unknown;
  /**
   * The session as stored in its row, except for its progress. Undefined at first and after a failure. Also undefined
   * after a block without events, because a later block would not reveal that the write failed.
   */
  let known: SessionInfo | undefined;

  function append(block: Block): Promise<void> {
    const rows = toRows(block);
    const [row] = rows;
    const { cursor, events, info, firstSeq } = block;
    const isProgress = known !== undefined && onlyMovesOn(block, known);
    const isSameState = known?.state === info.state;
    known = events.length > 0 ? info : undefined;
    if (isProgress && row !== undefined && rows.length === 1 && cursor !== undefined) {
      const insert = () => {
        if (!blocks.insertNext(claim, row, cursor)) throw sessions.refusal(claim, firstSeq);
      };
      return write(insert, { isOneStatement: true });
    }
    const advance = { info: JSON.stringify(info), isSameState };
    return write(() => {
      if (!sessions.advance(claim, block, advance)) throw sessions.refusal(claim, firstSeq);
      for (const each of rows) blocks.insert(claim, each);
    });
  }

  return {
    async append(block) {
      try {
        await append(block);
        failure = undefined;
      } catch (error) {
        known = undefined;
        failure = isGap(error) ? (failure ?? error) : error;
        throw failure;
      }
    },
    release: async () => write(() => sessions.release(claim)),
  };
}

/** True if a block changes only the progress of a running session. Most blocks do. */
function onlyMovesOn(block: Block, before: SessionInfo): boolean {
  const { firstSeq, at, events, info, turnCursor } = block;
  if (info.state !== "running" || turnCursor !== undefined) return false;
  if (info.lastSeq !== firstSeq + events.length - 1 || info.updatedAt !== at) return false;
  const past: Readonly<Record<string, unknown>> = before;
  const present: Readonly<Record<string, unknown>> = info;
  const names = Object.keys(info);
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => present[name] === past[name] || moving.has(name))
  );
}

const moving = new Set(["lastSeq", "updatedAt"]);

/**
 * True if the error reports a gap in the log. After a failed append, the caller receives the original error instead of
 * the gap.
 */
function isGap(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "internal";
}
