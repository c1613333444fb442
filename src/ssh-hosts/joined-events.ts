import { setTimeout as sleep } from "node:timers/promises";
import { anySignal } from "../async/any-signal.ts";
import { createChannel } from "../async/channel.ts";
import { createDeferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { PositionedEvent } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { JoinedHost, ReachedHosts } from "./reached-hosts.ts";

/** The last position that was read in the log of each host, by the name of the host. */
type Cursors = ReadonlyMap<string, number>;

interface Read extends PositionedEvent {
  /** The host whose log contains the event. Undefined for this machine. */
  readonly host?: JoinedHost;
  /** Called after the reader has received the event, so that the source reads its next event. */
  readonly onTaken: () => void;
}

/**
 * Joins the events of this machine and of its hosts in one stream. Each position in the stream encodes the position in
 * this machine's log. The matching positions in the hosts' logs are kept in memory. If they are unknown, for example
 * after a restart, the last 1,000 events of each host are delivered again, so that a reader misses no recent event.
 */
export class JoinedEvents {
  readonly #own: Halyard;
  readonly #hosts: readonly JoinedHost[];
  readonly #reached: ReachedHosts;
  readonly #cursors = new Map<number, Cursors>();
  #count = 0;

  constructor(own: Halyard, hosts: readonly JoinedHost[], reached: ReachedHosts) {
    this.#own = own;
    this.#hosts = hosts;
    this.#reached = reached;
  }

  /** Returns the position after the last event of all machines that respond. */
  async position(): Promise<number> {
    const [own, remote] = await Promise.all([
      this.#own.position(),
      this.#reached.ask(this.#hosts, async (halyard, { name }) => [
        [name, await halyard.position()] as const,
      ]),
    ]);
    const isEmpty = own === 0 && remote.every(([, last]) => last === 0);
    return isEmpty ? 0 : this.#remember(own, new Map(remote));
  }

  /** Yields the events of all machines. The events of one machine are in the order in which they were written. */
  async *follow({
    after = 0,
    follow = true,
    signal,
  }: FollowOptions): AsyncGenerator<PositionedEvent> {
    const cursors = new Map(this.#cursors.get(after));
    const leaving = new AbortController();
    const reading = anySignal([leaving.signal, signal ?? []].flat());
    const channel = createChannel<Read>();
    const push = async (read: PositionedEvent, host?: JoinedHost): Promise<void> => {
      const taken = createDeferred<void>();
      channel.push({ ...read, ...(host && { host }), onTaken: taken.resolve });
      await unlessAborted(taken.promise, reading);
    };
    let position = after === 0 ? 0 : Math.floor(after / STEP);
    const options = { follow, signal: reading };
    const sources = [
      this.#readOwn(position, options, push),
      ...this.#hosts.map((host) => {
        const start = after === 0 ? 0 : cursors.get(host.name);
        return this.#readHost(host, start, options, push);
      }),
    ];
    void Promise.all(sources).then(
      () => channel.end(),
      (error: unknown) => channel.end(reading.aborted ? undefined : error),
    );
    try {
      for await (const batch of channel)
        for (const { host, event, position: read, onTaken } of batch) {
          if (signal?.aborted) return;
          if (host) cursors.set(host.name, read);
          else position = read;
          yield { position: this.#remember(position, cursors), event };
          onTaken();
        }
    } finally {
      leaving.abort();
    }
  }

  async #readOwn(after: number, options: FollowOptions, push: Push): Promise<void> {
    for await (const read of this.#own.allEvents({ ...options, after })) await push(read);
  }

  /** Reads a host's log. If the host does not respond, tries again later, or skips the host if `follow` is false. */
  async #readHost(
    host: JoinedHost,
    start: number | undefined,
    { follow, signal }: FollowOptions,
    push: Push,
  ): Promise<void> {
    let after = start;
    while (!signal?.aborted) {
      const [halyard] = await this.#reached.ask([host], async (one) => [one]);
      try {
        if (halyard) {
          after ??= Math.max(0, (await halyard.position()) - REPEATED_EVENTS);
          for await (const read of halyard.allEvents({ follow, signal, after })) {
            after = read.position;
            await push(read, host);
          }
        }
      } catch (error) {
        if (!(error instanceof HalyardError && error.code === "unreachable")) throw error;
      }
      if (!follow) return;
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {}); // rejects only if `signal` is aborted
    }
  }

  /**
   * Returns a unique position and remembers the cursors for it, so that a reader can continue after exactly the same
   * events.
   */
  #remember(own: number, cursors: Cursors): number {
    const position = own * STEP + (++this.#count % STEP);
    this.#cursors.set(position, new Map(cursors));
    const [oldest] = this.#cursors.keys();
    if (this.#cursors.size > MAX_POSITIONS && oldest !== undefined) this.#cursors.delete(oldest);
    return position;
  }
}

type Push = (read: PositionedEvent, host?: JoinedHost) => Promise<void>;

/** The distance between the positions of two consecutive events of this machine. */
const STEP = 2 ** 20;
/** The number of positions whose cursors are in memory. */
const MAX_POSITIONS = 10_000;
/** The number of events of a host that are delivered again if its cursor is not known. */
const REPEATED_EVENTS = 1_000;
/** How long to wait before a host that does not respond is tried again, in milliseconds. */
const RETRY_MS = 5_000;
