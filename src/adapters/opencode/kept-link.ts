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
  #lease: Lease;
  #current: Promise<Link> | undefined;
  #sessionId: string | undefined;
  #stopListening = () => {};
  #isOver = false;

  constructor(lease: Lease, options: KeptLinkOptions) {
    this.#lease = lease;
    this.#options = options;
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
    this.#current ??= this.#renew();
    return this.#current;
  }

  async end(leave: (lease: Lease) => Promise<void>): Promise<void> {
    this.#isOver = true;
    this.#stopListening();
    await leave(this.#lease);
    await this.current(); // it comes to nothing without its server
  }

  async #renew(): Promise<Link> {
    const { request, context } = this.#options;
    let lease: Lease | undefined;
    try {
      lease = await hireServer(request, context);
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
    const { request, context, listen, onOpen } = this.#options;
    const link = await openLink(lease, this.#sessionId, request, context);
    this.#refuseIfOver();
    const { sessionId, directory, feed } = link;
    this.#sessionId = sessionId;
    const { runDir: server } = lease.server.files;
    await writeWhereabouts(request.runDir, { server, session: sessionId });
    this.#stopListening = feed.listen({ sessionId, directory, ...listen(link) });
    void lease.server.gone.then((reason) => this.#lose(lease, reason));
    await onOpen(link);
    return link;
  }

  async #lose(lease: Lease, reason: HalyardError): Promise<void> {
    if (this.#lease !== lease || this.#isOver) return;
    this.#current = undefined;
    this.#stopListening();
    this.#options.onGone(reason);
    await lease.release(0).catch(() => {}); // there is nothing left to release but files
  }

  #refuseIfOver(): void {
    if (this.#isOver) throw new HalyardError("session_stopped", "the session has ended");
  }
}
