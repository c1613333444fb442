export interface HttpConnectionsOptions {
  /** How long a connection may be idle, without a stream or a request, in milliseconds. */
  readonly idleMs: number;
  /** Closes a connection that was idle for `idleMs`. */
  readonly close: (connectionId: string) => void;
}

interface Connection {
  /** The number of open event streams. */
  streams: number;
  timer: NodeJS.Timeout | undefined;
}

const ID = "Acp-Connection-Id";

/** The HTTP connections. Unused connections expire, because a client that disappears does not close its connection. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #connections = new Map<string, Connection>();

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Records that a request used or closed a connection. Returns the response, whose stream keeps the connection open. */
  track(request: Request, response: Response): Response {
    const created = response.headers.get(ID);
    const id = created ?? request.headers.get(ID);
    if (id === null || (created === null && !this.#connections.has(id))) return response;
    if (response.status === 404 || request.method === "DELETE") {
      this.#forget(id);
      return response;
    }
    const connection = this.#connections.get(id) ?? { streams: 0, timer: undefined };
    this.#connections.set(id, connection);
    const isStream = request.method === "GET" && response.ok;
    if (!isStream || response.body === null) {
      this.#expireLater(id, connection);
      return response;
    }
    connection.streams += 1;
    clearTimeout(connection.timer);
    const ended = () => {
      connection.streams -= 1;
      this.#expireLater(id, connection);
    };
    return new Response(withEnd(response.body, ended), response);
  }

  close(): void {
    for (const id of this.#connections.keys()) this.#forget(id);
  }

  #expireLater(id: string, connection: Connection): void {
    clearTimeout(connection.timer);
    if (connection.streams > 0 || this.#connections.get(id) !== connection) return;
    connection.timer = setTimeout(() => {
      this.#forget(id);
      this.#options.close(id);
    }, this.#options.idleMs).unref();
  }

  #forget(id: string): void {
    clearTimeout(this.#connections.get(id)?.timer);
    this.#connections.delete(id);
  }
}

/** Calls `onEnd` once, when the stream ends or fails, or its reader cancels it. */
function withEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
