import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { Listener } from "./event-feed.ts";
import { type Link, openLink } from "./link.ts";
import { hireServer, type ServerContext } from "./server-request.ts";
import type { Lease } from "./servers.ts";
import { writeWhereabouts } from "./whereabouts.ts";

export interface KeptLinkOptions {
  readonly request: ConnectRequest;
  readonly context: ServerContext;
  /** OpenCode's id for the session, where it has one. */
  readonly known: string | undefined;
  /** Who listens from now on. */
  listen(link: Link): Pick<Listener, "hear" | "reconnected">;
  /** The session is there and listened to. */
  onOpen(link: Link): Promise<void>;
  /** Its server has died. */
  onGone(reason: HalyardError): void;
}

/** A session's link to its server, made anew by whoever needs one after the server has died. */
export class KeptLink {
  /** The first one there is; the session is ready once it is. */
  readonly first: Promise<Link>;
  readonly #options: KeptLinkOptions;
  #request: ConnectRequest;
  /** Whether the request has changed since the link was made. */
  #isOutdated = false;
  #lease: Lease;
  /** A server that the session moves to. */
  #hired: Lease | undefined;
  /** Whose end would be noticed. */
  #watched: Lease | undefined;
  #current: Promise<Link> | undefined;
  #sessionId: string | undefined;
  #stopListening = () => {};
  #isOver = false;

  constructor(lease: Lease, options: KeptLinkOptions) {
    this.#lease = lease;
    this.#options = options;
    this.#request = options.request;
    this.#sessionId = options.known;
    this.first = this.#open(lease);
    this.#current = this.first;
    this.first.catch(() => {}); // for whoever asks whether it is ready
  }

  /** Undefined where there is none, or none yet that is any good. */
  async current(): Promise<Link | undefined> {
    return this.#current?.catch(() => undefined);
  }

  live(): Promise<Link> {
    if (this.#current && this.#isOutdated) this.#current = this.#moveFrom(this.#current);
    this.#current ??= this.#renew();
    this.#isOutdated = false;
    return this.#current;
  }

  get request(): ConnectRequest {
    return this.#request;
  }

  /** Has the next who needs the link get one that is as this says. */
  change(request: ConnectRequest): void {
    this.#request = request;
    this.#isOutdated = true;
  }

  async end(leave: (lease: Lease) => Promise<void>): Promise<void> {
    this.#isOver = true;
    this.#stopListening();
    await leave(this.#lease);
    await this.#hired?.release(0);
    await this.current(); // it comes to nothing without its server
  }

  /** What comes to nothing leaves the link that there was. */
  #moveFrom(before: Promise<Link>): Promise<Link> {
    const moved = before
      .catch(() => {}) // whoever made that one was told
      .then(() => this.#move())
      .catch((error) => {
        if (this.#current === moved) this.#current = before;
        throw error;
      });
    return moved;
  }

  /** To another server, unless the same one will do. */
  async #move(): Promise<Link> {
    const old = this.#lease;
    let link: Link;
    try {
      const found = await hireServer(this.#request, this.#options.context);
      // The claim on the same one is that which the session has already.
      if (found.server === old.server) await found.letGo();
      else this.#hired = found;
      this.#refuseIfOver();
      link = await this.#open(this.#hired ?? old);
      this.#refuseIfOver();
      this.#lease = link.lease;
    } catch (error) {
      await this.#hired?.release(0);
      await this.#noteWhereabouts(old);
      throw error;
    } finally {
      this.#hired = undefined;
    }
    if (link.lease !== old) await old.release(this.#request.limits.stopMs);
    return link;
  }

  async #renew(): Promise<Link> {
    let lease: Lease | undefined;
    try {
      lease = await hireServer(this.#request, this.#options.context);
      this.#refuseIfOver();
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
    this.#refuseIfOver();
    const { sessionId, directory, feed } = link;
    this.#sessionId = sessionId;
    await this.#noteWhereabouts(lease);
    this.#stopListening();
    this.#stopListening = feed.listen({ sessionId, directory, ...listen(link) });
    if (this.#watched !== lease) void lease.server.gone.then((reason) => this.#lose(lease, reason));
    this.#watched = lease;
    await onOpen(link);
    return link;
  }

  async #noteWhereabouts({ server }: Lease): Promise<void> {
    const session = this.#sessionId === undefined ? {} : { session: this.#sessionId };
    await writeWhereabouts(this.#request.runDir, { server: server.files.runDir, ...session });
  }

  async #lose(lease: Lease, reason: HalyardError): Promise<void> {
    if (this.#lease !== lease || this.#hired || this.#isOver) return;
    this.#current = undefined;
    this.#stopListening();
    this.#options.onGone(reason);
    await lease.release(0).catch(() => {}); // there is nothing left to release but files
  }

  #refuseIfOver(): void {
    if (this.#isOver) throw new HalyardError("session_stopped", "the session has ended");
  }
}
