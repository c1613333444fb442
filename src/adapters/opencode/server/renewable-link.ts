import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { FeedListener } from "../events/event-feed.ts";
import { type Link, openLink } from "./link.ts";
import { leaseServer, type ServerContext } from "./server-request.ts";
import type { Lease } from "./servers.ts";
import { writeSessionLocation } from "./session-location.ts";

export interface RenewableLinkOptions {
  readonly request: ConnectRequest;
  readonly context: ServerContext;
  /** OpenCode's session id, if the session exists. */
  readonly known: string | undefined;
  /** Creates the listener for the session's events. */
  listen(link: Link): Pick<FeedListener, "onEvent" | "onReconnect">;
  /** Called when the session is open and its events arrive. */
  onOpen(link: Link): Promise<void>;
  /** Called when the server has died. */
  onGone(reason: HalyardError): void;
}

/** A session's link to its server. The link is renewed on the next use after the server has died. */
export class RenewableLink {
  /** The first link. Resolves when the session is ready. */
  readonly first: Promise<Link>;
  readonly #options: RenewableLinkOptions;
  #request: ConnectRequest;
  /** True if the request has changed since the link was opened. */
  #isOutdated = false;
  #lease: Lease;
  /** The lease on the new server while the session moves to that server. */
  #nextLease: Lease | undefined;
  /** The lease whose server is watched for its exit. */
  #watched: Lease | undefined;
  #current: Promise<Link> | undefined;
  #sessionId: string | undefined;
  #stopListening = () => {};
  #hasEnded = false;

  constructor(lease: Lease, options: RenewableLinkOptions) {
    this.#lease = lease;
    this.#options = options;
    this.#request = options.request;
    this.#sessionId = options.known;
    this.first = this.#open(lease);
    this.#current = this.first;
    this.first.catch(() => {}); // ready() reports the error
  }

  /** Resolves with the current link, or with undefined if there is no link or it could not be opened. */
  async current(): Promise<Link | undefined> {
    return this.#current?.catch(() => undefined);
  }

  /** Resolves with a working link. Opens a new link if there is none, or if the request has changed. */
  live(): Promise<Link> {
    if (this.#current && this.#isOutdated) this.#current = this.#moveFrom(this.#current);
    this.#current ??= this.#renew();
    this.#isOutdated = false;
    return this.#current;
  }

  get request(): ConnectRequest {
    return this.#request;
  }

  /** Changes the request. The next call to `live` opens a link for it. */
  change(request: ConnectRequest): void {
    this.#request = request;
    this.#isOutdated = true;
  }

  async end(leave: (lease: Lease) => Promise<void>): Promise<void> {
    this.#hasEnded = true;
    this.#stopListening();
    await leave(this.#lease);
    await this.#nextLease?.release(0);
    await this.current(); // waits for a link that is still opening
  }

  /** Opens a link for the changed request. Keeps the previous link if opening fails. */
  #moveFrom(before: Promise<Link>): Promise<Link> {
    const moved = before
      .catch(() => {}) // the caller that opened the previous link received the error
      .then(() => this.#move())
      .catch((error) => {
        if (this.#current === moved) this.#current = before;
        throw error;
      });
    return moved;
  }

  /** Moves the session to another server if the changed request needs one. */
  async #move(): Promise<Link> {
    const old = this.#lease;
    let link: Link;
    try {
      const found = await leaseServer(this.#request, this.#options.context);
      // Both leases share the session's claim, so the second lease is detached instead of released.
      if (found.server === old.server) await found.detach();
      else this.#nextLease = found;
      this.#requireOpen();
      link = await this.#open(this.#nextLease ?? old);
      this.#requireOpen();
      this.#lease = link.lease;
    } catch (error) {
      await this.#nextLease?.release(0);
      await this.#saveLocation(old);
      throw error;
    } finally {
      this.#nextLease = undefined;
    }
    if (link.lease !== old) await old.release(this.#request.limits.stopMs);
    return link;
  }

  async #renew(): Promise<Link> {
    let lease: Lease | undefined;
    try {
      lease = await leaseServer(this.#request, this.#options.context);
      this.#requireOpen();
      this.#lease = lease;
      return await this.#open(lease);
    } catch (error) {
      this.#current = undefined;
      await lease?.release(0);
      throw error;
    }
  }

  async #open(lease: Lease): Promise<Link> {
    const { context, listen, onOpen } = this.#options;
    const link = await openLink(lease, this.#sessionId, this.#request, context);
    this.#requireOpen();
    const { sessionId, directory, feed } = link;
    this.#sessionId = sessionId;
    await this.#saveLocation(lease);
    this.#stopListening();
    this.#stopListening = feed.listen({ sessionId, directory, ...listen(link) });
    if (this.#watched !== lease) void lease.server.gone.then((reason) => this.#lose(lease, reason));
    this.#watched = lease;
    await onOpen(link);
    return link;
  }

  async #saveLocation({ server }: Lease): Promise<void> {
    const session = this.#sessionId === undefined ? {} : { session: this.#sessionId };
    await writeSessionLocation(this.#request.runDir, { server: server.files.runDir, ...session });
  }

  async #lose(lease: Lease, reason: HalyardError): Promise<void> {
    if (this.#lease !== lease || this.#nextLease || this.#hasEnded) return;
    this.#current = undefined;
    this.#stopListening();
    this.#options.onGone(reason);
    await lease.release(0).catch(() => {}); // ignored, because only files are left to release
  }

  #requireOpen(): void {
    if (this.#hasEnded)
      throw new HalyardError("session_stopped", "The session has ended. Resume it to continue.");
  }
}
