import type { Block, Store, StoredEvent, Writer } from "../contracts/store.ts";
import type { SessionInfo } from "../schema/session.ts";
import { sampleBlock, sampleProcess, sampleSession } from "./sample-session.ts";

/** A session in a store, by default in the state `running`. Appends blocks with consecutive sequence numbers. */
export class SampleLog {
  readonly writer: Writer;
  info: SessionInfo;

  constructor(writer: Writer, info: SessionInfo) {
    this.writer = writer;
    this.info = info;
  }

  static async create(store: Store, changes: Partial<SessionInfo> = {}): Promise<SampleLog> {
    const info = sampleSession({ state: "running", ...changes });
    return new SampleLog(await store.create(info, sampleProcess(1)), info);
  }

  append(events: readonly StoredEvent[], changes: Partial<Block> = {}): Promise<void> {
    const cursor = (this.info.lastSeq + events.length) * 10;
    const block = sampleBlock(this.info, events, { cursor, ...changes });
    this.info = block.info;
    return this.writer.append(block);
  }
}
