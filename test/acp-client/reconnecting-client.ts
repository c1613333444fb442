import type * as first from "@agentclientprotocol/sdk";
import { FirstClient, type FirstClientOptions } from "./first-client.ts";
import { openWebSocket, type WebSocketLine } from "./remote-scene.ts";

export interface ReconnectingOptions extends FirstClientOptions {
  readonly url: string;
  readonly cwd: string;
  /** Called after every update with the number of updates so far. Returns true to cut the connection. */
  readonly loses: (received: number) => boolean;
  /** Awaited before the client connects again. */
  readonly beforeConnect?: () => Promise<unknown>;
}

/** An update, and its cursor if it was mapped from an event. */
export interface ReceivedUpdate {
  readonly update: first.SessionUpdate;
  readonly cursor: string | undefined;
}

/**
 * A client, built with the official SDK, that loses its connection repeatedly and continues after the last cursor that
 * it received.
 */
export class ReconnectingClient {
  readonly received: ReceivedUpdate[] = [];
  readonly #options: ReconnectingOptions;
  #sessionId = "";
  #cursor: string | undefined;
  #line: WebSocketLine;
  #client: FirstClient;
  losses = 0;

  constructor(options: ReconnectingOptions) {
    this.#options = options;
    [this.#line, this.#client] = this.#connect();
  }

  async start(): Promise<string> {
    const { sessionId, _meta } = await this.#client.agent.request("session/new", {
      cwd: this.#options.cwd,
      mcpServers: [],
    });
    this.#sessionId = sessionId;
    this.#cursor = cursorIn(_meta);
    return sessionId;
  }

  /** Sends a prompt, repeats it with the same message id after each lost connection, and returns its result. */
  async prompt(text: string): Promise<first.PromptResponse> {
    const messageId = crypto.randomUUID();
    for (;;) {
      const { agent } = this.#client;
      const sessionId = this.#sessionId;
      try {
        return await agent.request("session/prompt", {
          sessionId,
          prompt: [{ type: "text", text }],
          _meta: { halyard: { messageId } },
        });
      } catch (error) {
        if (!this.#client.connection.signal.aborted) throw error;
        await this.#resume();
      }
    }
  }

  async #resume(): Promise<void> {
    for (;;) {
      await this.#options.beforeConnect?.();
      [this.#line, this.#client] = this.#connect();
      const { connection, agent } = this.#client;
      try {
        await agent.request("session/resume", {
          sessionId: this.#sessionId,
          cwd: this.#options.cwd,
          _meta: { halyard: { after: this.#cursor } },
        });
        return;
      } catch (error) {
        if (!connection.signal.aborted) throw error;
      }
    }
  }

  #connect(): [WebSocketLine, FirstClient] {
    const { url, loses, ...options } = this.#options;
    const line = openWebSocket(url);
    let isLost = false;
    const client = new FirstClient(line.stream, {
      ...options,
      onUpdate: ({ update, _meta }) => {
        if (isLost) return; // ignores updates that arrive after the cut
        const cursor = cursorIn(_meta);
        this.received.push({ update, cursor });
        if (cursor !== undefined) this.#cursor = cursor;
        isLost = loses(this.received.length);
        if (!isLost) return;
        this.losses += 1;
        line.cut();
      },
    });
    client.greeting.catch(() => {}); // the connection may be lost before the handshake
    return [line, client];
  }
}

export function cursorIn(meta: Record<string, unknown> | null | undefined): string | undefined {
  const { cursor } = (meta?.halyard ?? {}) as { cursor?: string };
  return cursor;
}
