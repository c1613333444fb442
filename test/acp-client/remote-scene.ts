import * as server from "@agentclientprotocol/sdk/experimental/server";
import * as second from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import * as first from "@agentclientprotocol/sdk/unstable";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { AcpContext } from "../../src/acp/context.ts";
import { AcpEndpoint, type AcpEndpointOptions } from "../../src/acp/remote/acp-endpoint.ts";
import { createServer } from "../../src/server/index.ts";
import { openScene, type Scene } from "./scene.ts";

export const TOKEN = "a-token-nobody-guesses";

/** A server with the ACP agent at `/acp`. */
export interface RemoteScene extends Scene {
  readonly endpoint: AcpEndpoint;
  /** `ws://127.0.0.1:PORT/acp`. */
  readonly url: string;
  readonly log: string[];
  readonly faults: unknown[];
}

export async function openRemote(
  context: Partial<AcpContext> = {},
  options: Partial<AcpEndpointOptions> = {},
): Promise<RemoteScene> {
  const scene = await openScene();
  const { halyard } = scene;
  const log: string[] = [];
  const whole: AcpContext = {
    halyard,
    startRequest: async (cwd) => ({ runtime: "fake", cwd, checkpoints: false }),
    resumeOptions: async () => ({}),
    canReconnect: true,
    log: (line) => log.push(line),
    ...context,
  };
  const sdk = { first, second, server };
  const endpoint = new AcpEndpoint(sdk, { version: "1.2.3", context: () => whole, ...options });
  const faults: unknown[] = [];
  const served = createServer(halyard, {
    token: TOKEN,
    onFault: (fault) => faults.push(fault),
    endpoints: [
      {
        path: "/acp",
        fetch: (request) => endpoint.fetch(request),
        upgrade: async (...upgrade) => endpoint.upgrade(...upgrade),
      },
    ],
  });
  const listener = await served.listen({ port: 0 });
  onTestFinished(async () => {
    await endpoint.close();
    await listener.close();
  });
  return { ...scene, endpoint, url: `${listener.url.replace("http", "ws")}/acp`, log, faults };
}

/** A WebSocket stream of the official SDK, whose connection can be cut. */
export interface WebSocketLine {
  readonly stream: first.Stream;
  /** Closes the connection without a closing handshake, as a network failure would. */
  cut(): void;
}

export function openWebSocket(url: string, token = TOKEN): WebSocketLine {
  let socket: WebSocket | undefined;
  class CutWebSocket extends WebSocket {
    constructor(...parameters: ConstructorParameters<typeof WebSocket>) {
      super(...parameters);
      socket = this;
    }
  }
  const stream = createWebSocketStream(url, {
    headers: { authorization: `Bearer ${token}` },
    WebSocket: CutWebSocket,
  });
  const cut = () => socket?.terminate();
  onTestFinished(cut);
  return { stream, cut };
}
