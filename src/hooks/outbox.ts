import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HookPayload } from "../schema/hook.ts";
import { SessionId } from "../schema/id.ts";
import { deliveryId } from "./delivery-id.ts";

/** A payload that a sink has not received yet. Does not contain the hook's secrets. */
export const PendingDelivery = z.strictObject({
  /** The id of the sink. */
  sink: z.string(),
  sessionId: SessionId,
  payload: HookPayload,
});
export type PendingDelivery = z.infer<typeof PendingDelivery>;

const StoredDelivery = PendingDelivery.extend({ owner: z.string() });

/** How processes with the same home identify each other. */
export interface HookOwnership {
  /** Identifies this process. */
  readonly owner: string;
  /** True if the process that `owner` identifies is still running. */
  isAlive(owner: string): Promise<boolean>;
}

interface OutboxOptions extends HookOwnership {
  readonly now: () => Date;
}

/** The maximum age of a payload: one day. Older payloads are not delivered. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** The owner of payloads that a process has left for any other process to deliver. */
const NOBODY = "";

/**
 * Stores the undelivered payloads of all processes, one file each, so that another process can deliver the payloads of
 * a killed process.
 */
export class HookOutbox {
  readonly #directory: string;
  readonly #options: OutboxOptions;

  constructor(directory: string, options: OutboxOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  /** Writes a payload before its first delivery attempt. Synchronous, because the process may be killed at any time. */
  keep(delivery: PendingDelivery): void {
    this.#write(delivery, this.#options.owner);
  }

  /** Gives up the ownership of a payload, so that another process delivers it. */
  abandon(delivery: PendingDelivery): void {
    this.#write(delivery, NOBODY);
  }

  #write(delivery: PendingDelivery, owner: string): void {
    const file = this.#fileOf(delivery);
    const draft = `${file}.${randomUUID().slice(0, 8)}.new`;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify({ ...delivery, owner }), { mode: 0o600 });
    renameSync(draft, file);
  }

  /** Removes a payload that was delivered, was rejected by the receiver, or is not to be delivered anymore. */
  release(delivery: PendingDelivery): void {
    rmSync(this.#fileOf(delivery), { force: true });
  }

  /** True if a payload is older than one day. */
  isExpired({ payload }: PendingDelivery): boolean {
    return this.#options.now().getTime() - Date.parse(payload.timestamp) > MAX_AGE_MS;
  }

  /** Returns the payloads that no running process delivers, in the order of the events. Removes damaged files. */
  async abandoned(): Promise<PendingDelivery[]> {
    const found: PendingDelivery[] = [];
    for (const name of await namesIn(this.#directory)) {
      const path = join(this.#directory, name);
      const stored = await readStored(path);
      if (stored === undefined) await rm(path, { force: true });
      else if (stored !== "gone" && !(await this.#isOwned(stored.owner))) {
        const { owner, ...delivery } = stored;
        found.push(delivery);
      }
    }
    const order = ({ payload }: PendingDelivery) => [payload.timestamp, payload.data.seq] as const;
    return found.sort((a, b) => {
      const [[at, seq], [otherAt, otherSeq]] = [order(a), order(b)];
      return at === otherAt ? seq - otherSeq : at < otherAt ? -1 : 1;
    });
  }

  async #isOwned(owner: string): Promise<boolean> {
    return owner !== NOBODY && this.#options.isAlive(owner);
  }

  #fileOf({ sink, sessionId, payload }: PendingDelivery): string {
    const hash = createHash("sha256")
      .update(`${sink}\n${deliveryId(sessionId, payload)}`)
      .digest("hex");
    return join(this.#directory, `${hash.slice(0, 32)}.json`);
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".json"));
  } catch {
    return []; // the directory does not exist before the first payload is stored
  }
}

/** Reads a stored payload. Returns "gone" if another process has delivered it, and undefined if the file is damaged. */
async function readStored(
  path: string,
): Promise<z.infer<typeof StoredDelivery> | "gone" | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return "gone";
  try {
    return StoredDelivery.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
