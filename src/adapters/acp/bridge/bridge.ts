import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { Requests, readMessage } from "./requests.ts";

/** Options for `Bridge`. */
export interface BridgeOptions {
  /** Opens a connection to the agent. */
  readonly connect: () => WebSocket;
  /** Sends a line to Halyard. */
  readonly write: (line: string) => void;
  /** Called with the reason if the agent cannot be reached, or if the session cannot continue without losing messages. */
  readonly fail: (reason: string) => void;
  /** The delays before the attempts to reconnect, in milliseconds. Defaults to 14 attempts within a minute. */
  readonly delaysMs?: readonly number[];
}

const DELAYS_MS = [0, 100, 200, 500, 1000, 2000, ...Array<number>(8).fill(7000)];

/**
 * Connects one session to a remote agent. If the connection is lost and the agent sends cursors, the bridge reconnects
 * and continues after the last cursor. It sends unfinished prompts again with the same ids. Halyard's own ACP agent
 * sends cursors.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #requests = new Requests();
  #socket: WebSocket;
  #isOpen = false;
  /** Lines to send when the connection is open. */
  #waiting: string[] = [];
  #attempt = 0;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#socket = this.#connect();
  }

  /** Sends a line from Halyard to the agent. */
  send(line: string): void {
    const message = readMessage(line);
    const sent = message && this.#requests.toAgent(message);
    if (sent === undefined) return;
    const isPrompt = sent.method === "session/prompt";
    const isAnswer = sent.method === undefined;
    // `Requests` stores prompts and answers, and sends them after the reconnect: a prompt when the session is open
    // again, an answer when the agent repeats its request.
    if ((isPrompt && this.#isLost) || (isAnswer && this.#attempt > 0)) return;
    this.#waiting.push(JSON.stringify(sent));
    this.#flush();
  }

  /** True from the loss of the connection until the session is open again. */
  get #isLost(): boolean {
    return this.#attempt > 0 || this.#requests.isReconnecting;
  }

  #flush(): void {
    if (!this.#isOpen || this.#isLost) return;
    for (const line of this.#waiting.splice(0)) this.#socket.send(line);
  }

  #connect(): WebSocket {
    const socket = this.#options.connect();
    let problem = "the connection was lost";
    socket.on("open", () => void this.#opened(socket));
    socket.on("message", (data, isBinary) => {
      if (!isBinary) this.#receive(String(data));
    });
    socket.on("unexpected-response", (_request, response) => {
      const hint = response.statusCode === 401 ? ". Set ACP_TOKEN to the server's token" : "";
      this.#options.fail(`the server responded with ${response.statusCode}${hint}`);
    });
    socket.on("error", ({ message }) => {
      problem = message;
    });
    socket.on("close", () => this.#closed(problem));
    return socket;
  }

  #opened(socket: WebSocket): void {
    if (this.#attempt > 0) socket.send(JSON.stringify(this.#requests.reconnect(randomUUID)));
    this.#attempt = 0;
    this.#isOpen = true;
    this.#flush();
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (message === undefined) return;
    const { forward, replies = [], failure } = this.#requests.receive(message);
    if (forward) this.#options.write(JSON.stringify(forward));
    for (const reply of replies) this.#socket.send(JSON.stringify(reply));
    if (failure !== undefined) this.#options.fail(failure);
    this.#flush();
  }

  #closed(problem: string): void {
    this.#isOpen = false;
    if (!this.#requests.canContinue) {
      this.#options.fail(problem);
      return;
    }
    const delayMs = (this.#options.delaysMs ?? DELAYS_MS)[this.#attempt++];
    if (delayMs === undefined) {
      this.#options.fail(problem);
      return;
    }
    setTimeout(() => {
      this.#socket = this.#connect();
    }, delayMs);
  }
}
