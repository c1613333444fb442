import { once } from "node:events";
import { request } from "node:http";

/** @typedef {import("../../dist/schema/event.js").StreamEvent} StreamEvent */

/**
 * A minimal reader of server-sent events.
 * @implements {AsyncDisposable}
 */
export class SseReader {
  #answer;
  #call;

  /**
   * @param {import("node:http").ClientRequest} call
   * @param {import("node:http").IncomingMessage} answer
   * @param {((events: StreamEvent[]) => void) | undefined} onEvents If omitted, the stream is not read.
   */
  constructor(call, answer, onEvents) {
    this.#call = call;
    this.#answer = answer;
    answer.on("error", () => {}); // the reader itself closed the connection
    if (onEvents === undefined) return;
    answer.setEncoding("utf8");
    let rest = "";
    answer.on("data", (/** @type {string} */ chunk) => {
      const frames = (rest + chunk).split("\n\n");
      rest = frames.pop() ?? "";
      /** @type {StreamEvent[]} */
      const events = [];
      for (const frame of frames) {
        const at = frame.indexOf("\ndata: ");
        if (frame.startsWith("id: ")) events.push(JSON.parse(frame.slice(at + 7)));
      }
      onEvents(events);
    });
  }

  /**
   * @param {string} url
   * @param {string} token
   * @param {string} id
   * @param {((events: StreamEvent[]) => void) | undefined} onEvents
   * @param {number} [after] The `seq` of the last event that the reader has.
   */
  static async open(url, token, id, onEvents, after = 0) {
    const headers = { authorization: `Bearer ${token}`, "last-event-id": `${after}` };
    const call = request(`${url}/v1/sessions/${id}/events`, { headers, agent: false });
    call.on("error", () => {}); // the reader itself closed the connection
    call.end();
    const [answer] = await once(call, "response");
    if (answer.statusCode !== 200)
      throw new Error(`The server responded with status ${answer.statusCode}.`);
    return new SseReader(call, answer, onEvents);
  }

  /** Reads and discards all events. */
  drain() {
    this.#answer.resume();
    return this;
  }

  async [Symbol.asyncDispose]() {
    this.#answer.destroy();
    this.#call.destroy();
  }
}
