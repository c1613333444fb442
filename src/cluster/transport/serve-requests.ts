import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { unlessAborted } from "../../async/unless-aborted.ts";
import { Wake } from "../../async/wake.ts";
import { loadTransport } from "../../stores/jetstream/nats.ts";
import {
  ALIVE_MS,
  type Control,
  controlOf,
  type FrameKind,
  markFrame,
  type RequestHead,
  type ResponseHead,
  readFrame,
  toPieces,
  WINDOW_FRAMES,
} from "./frames.ts";

/** Responds to an HTTP request. */
export type Respond = (request: Request) => Response | Promise<Response>;

/**
 * Responds to the requests that `createNatsFetch` sends to a subject. Disposing waits at most 2 s for running
 * responses, then aborts them and waits at most another 2 s.
 */
export async function serveRequests(
  connection: NatsConnection,
  subject: string,
  respond: Respond,
): Promise<AsyncDisposable> {
  const { headers } = await loadTransport();
  const received = new Map<string, Received>();
  const running = new Map<AbortController, Promise<void>>();
  const accept = (message: Msg): void => {
    const inbox = message.reply;
    const frame = readFrame(message);
    if (!inbox || frame === undefined) return;
    if (frame.kind === "head") received.set(inbox, { head: frame.data, pieces: [], next: 1 });
    const request = received.get(inbox);
    if (request === undefined || frame.kind === "head") return;
    // Drop a request with a lost frame. Its client receives no response and repeats the request if that is safe.
    if (frame.number !== request.next++) return void received.delete(inbox);
    if (frame.kind === "data") return void request.pieces.push(frame.data);
    received.delete(inbox);
    const ending = new AbortController();
    const sender = new Sender({ connection, inbox, newFields: headers });
    const done = sender
      .respond(toRequest(request, ending.signal), respond, ending)
      .finally(() => running.delete(ending));
    running.set(ending, done);
  };
  const subscription = connection.subscribe(subject, { callback: (_, message) => accept(message) });
  await connection.flush(); // after the flush, the servers know the subscription
  return {
    async [Symbol.asyncDispose]() {
      subscription.unsubscribe();
      const all = Promise.all(running.values());
      const closed = () => unlessAborted(all, AbortSignal.timeout(CLOSING_MS)).catch(() => {}); // rejects after 2 s
      await closed();
      for (const ending of running.keys()) ending.abort();
      await closed(); // a response that waits for another machine may never end
    },
  };
}

interface Received {
  readonly head: Uint8Array;
  readonly pieces: Uint8Array[];
  next: number;
}

function toRequest({ head, pieces }: Received, signal: AbortSignal): Request {
  const { method, path, headers }: RequestHead = JSON.parse(Buffer.from(head).toString());
  const body = pieces.length === 0 ? {} : { body: Buffer.concat(pieces) };
  return new Request(new URL(path, "http://localhost"), { method, headers, signal, ...body });
}

interface SenderOptions {
  readonly connection: NatsConnection;
  readonly inbox: string;
  readonly newFields: () => Parameters<typeof markFrame>[0];
}

/** Sends one response, at most a window of frames ahead of the client. */
class Sender {
  readonly #options: SenderOptions;
  readonly #wake = new Wake();
  #number = 0;
  #processed = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Responds to a request. Never rejects: if the response fails, the client receives the frame `fault`. */
  async respond(request: Request, respond: Respond, ending: AbortController): Promise<void> {
    const { connection, inbox } = this.#options;
    const subscription = connection.subscribe(controlOf(inbox), {
      callback: (_, message) => this.#steer(message, ending),
    });
    const forget = this.#wake.notifyAt(ending.signal);
    const alive = setInterval(() => this.#send("alive"), ALIVE_MS);
    try {
      const response = await respond(request);
      await this.#sendResponse(response, ending.signal);
    } catch {
      this.#send("fault");
    } finally {
      clearInterval(alive);
      subscription.unsubscribe();
      forget();
    }
  }

  async #sendResponse(response: Response, signal: AbortSignal): Promise<void> {
    const head: ResponseHead = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
    };
    this.#send("head", JSON.stringify(head));
    const reader = response.body?.getReader();
    const stop = () => void reader?.cancel().catch(() => {}); // rejects if the stream has already ended
    signal.addEventListener("abort", stop);
    try {
      for (;;) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) break;
        for (const piece of toPieces(chunk.value)) await this.#sendPiece(piece, signal);
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
    this.#send(signal.aborted ? "fault" : "end");
  }

  async #sendPiece(piece: Uint8Array, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { version } = this.#wake;
      if (signal.aborted || this.#number - this.#processed < WINDOW_FRAMES) break;
      await this.#wake.after(version);
    }
    if (!signal.aborted) this.#send("data", piece);
  }

  #steer(message: Msg, ending: AbortController): void {
    // NATS sends status 503 (no responders) if the client has disconnected.
    const control: Control =
      message.headers?.code === NO_RESPONDERS ? { cancelled: true } : message.json<Control>();
    if ("cancelled" in control) ending.abort();
    else this.#processed = Math.max(this.#processed, control.processed);
    this.#wake.notify();
  }

  #send(kind: FrameKind, data: string | Uint8Array = ""): void {
    const { connection, inbox, newFields } = this.#options;
    if (connection.isClosed()) return;
    const headers = markFrame(newFields(), this.#number++, kind);
    connection.publish(inbox, data, { reply: controlOf(inbox), headers });
  }
}

const NO_RESPONDERS = 503;
const CLOSING_MS = 2_000;
