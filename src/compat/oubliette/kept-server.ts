import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import { joinSession } from "./session-users.ts";

/**
 * Keeps a project's server running while no turn needs it. The server runs as long as a session uses it, so this class
 * opens a session that never receives a message. A later process continues this session if the directory, host, project
 * and container are the same and no other process holds it.
 */
export class KeptServer {
  readonly #session: Session;
  readonly #leave: () => boolean;
  #isClosed = false;

  private constructor(session: Session, leave: () => boolean) {
    this.#session = session;
    this.#leave = leave;
  }

  /** Starts the server or joins a running one, and waits until its health endpoint responds. */
  static async open(halyard: Halyard, request: StartRequest): Promise<KeptServer> {
    const session = (await continued(halyard, request)) ?? (await halyard.start(keeping(request)));
    const server = new KeptServer(session, joinSession(halyard, session.id));
    try {
      await session.ready();
      await session.ping();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Rejects if the server has exited or its health endpoint does not respond. */
  ping(): Promise<void> {
    return this.#session.ping();
  }

  isWell(): Promise<boolean> {
    return this.ping().then(
      () => true,
      () => false,
    );
  }

  /** Stops the server unless other sessions use it. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#leave()) await this.#session.stop("the runtime was closed");
  }
}

const LABEL = "agent.server";

function keeping(request: StartRequest): StartRequest {
  // The session changes no files, so it needs no worktree in a project whose sessions have one.
  return { ...request, name: "server", labels: { [LABEL]: keyOf(request) }, worktree: false };
}

/** Returns the session's key. Sessions with the same key may share a server. */
function keyOf({ host = "local", project = "", container }: StartRequest): string {
  return [host, project, ...(container ? [JSON.stringify(container)] : [])].join(" ");
}

async function continued(halyard: Halyard, request: StartRequest): Promise<Session | undefined> {
  const { runtime, cwd, model, env, permissions, options } = request;
  const labels = { [LABEL]: keyOf(request) };
  const [known] = await halyard.sessions({ ...(runtime && { runtime }), cwd, labels, limit: 1 });
  if (known === undefined) return undefined;
  try {
    return await halyard.resume(known.id, { model, env, permissions, options, attended: false });
  } catch (error) {
    if (error instanceof HalyardError) return undefined; // held by another process, or not resumable
    throw error;
  }
}
