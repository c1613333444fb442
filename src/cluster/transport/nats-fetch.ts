import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { loadTransport } from "../../stores/jetstream/nats.ts";
import {
  type Control,
  controlOf,
  type Frame,
  type FrameKind,
  markFrame,
  type RequestHead,
  type ResponseHead,
  readFrame,
  SILENCE_MS,
  toPieces,
  WINDOW_FRAMES,
} from "./frames.ts";

/**
 * Returns a `fetch` that sends requests to the process that listens on a subject. Supports only the features that
 * Halyard's client uses.
 */
export async function createNatsFetch(
  connection: NatsConnection,
  subject: string,
): Promise<typeof fetch> {
  const { createInbox, headers } = await loadTransport();
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = "GET", body, signal } = init;
    signal?.throwIfAborted();
    const head: RequestHead = {
      method,
      path: url.pathname + url.search,
      headers: Object.fromEntries(new Headers(init.headers)),
    };
    const inbox = createInbox();
    const exchange = new Exchange(connection, inbox, signal ?? undefined);
    let number = 0;
    const send = (kind: FrameKind, data: string | Uint8Array = "") => {
      const fields = markFrame(headers(), number++, kind);
      connection.publish(subject, data, { reply: inbox, headers: fields });
    };
    send("head", JSON.stringify(head));
    if (typeof body === "string")
      for (const piece of toPieces(Buffer.from(body))) send("data", piece);
    send("end");
    return exchange.response;
  };
}

/** Receives the frames of one response. */
class Exchange {
  readonly response: Promise<Response>;
  readonly #connection: NatsConnection;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #signal: AbortSignal | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #expected = 0;
  #reported = 0;
  #silence: NodeJS.Timeout;
  #resolve: (response: Response) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #isOver = false;

  constructor(connection: NatsConnection, inbox: string, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#inbox = inbox;
    this.#signal = signal;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#subscription = connection.subscribe(inbox, { callback: (_, msg) => this.#receive(msg) });
    this.#silence = setTimeout(() => this.#fail(silent()), SILENCE_MS);
    signal?.addEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    this.#cancel();
    this.#fail(this.#signal?.reason);
  };

  #receive(message: Msg): void {
    if (this.#isOver) return;
    const frame = readFrame(message);
    if (frame === undefined) this.#fail(new TypeError("no process listens on the subject"));
    else if (frame.number !== this.#expected++)
      this.#fail(new TypeError("a part of the response was lost"));
    else {
      this.#silence.refresh();
      this.#accept(frame);
    }
  }

  #accept({ kind, data }: Frame): void {
    switch (kind) {
      case "head":
        this.#resolve(this.#toResponse(JSON.parse(Buffer.from(data).toString())));
        break;
      case "data":
        this.#controller?.enqueue(data);
        break;
      case "end":
        this.#finish();
        this.#controller?.close();
        break;
      case "fault":
        this.#fail(new TypeError("the process could not complete the response"));
        break;
      case "alive":
        this.#send({ processed: this.#reported }); // the server may be waiting for a report that was lost
        break;
    }
  }

  #toResponse({ status, headers }: ResponseHead): Response {
    if (status === 204) return new Response(null, { status, headers });
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#report(),
        cancel: () => {
          this.#cancel();
          this.#finish();
        },
      },
      { highWaterMark: WINDOW_FRAMES },
    );
    return new Response(stream, { status, headers });
  }

  /**
   * Reports the number of processed frames each time half of the window has been read, so that the server sends more.
   */
  #report(): void {
    if (this.#expected - this.#reported < WINDOW_FRAMES / 2) return;
    this.#reported = this.#expected;
    this.#send({ processed: this.#expected });
  }

  #cancel(): void {
    this.#send({ cancelled: true });
  }

  #send(control: Control): void {
    if (!this.#connection.isClosed())
      this.#connection.publish(controlOf(this.#inbox), JSON.stringify(control));
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(reason);
    this.#controller?.error(reason);
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#subscription.unsubscribe();
  }
}

function silent(): TypeError {
  return new TypeError(`no response for ${SILENCE_MS / 1_000} s`);
}
