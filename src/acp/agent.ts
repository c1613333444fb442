import type { AgentConnectOptions, Stream } from "@agentclientprotocol/sdk/unstable";
import type { AcpContext } from "./context.ts";
import type { AcpSdk } from "./sdk.ts";
import { Service } from "./service.ts";
import { firstApp } from "./version-1/app.ts";
import { secondApp } from "./version-2/app.ts";

/** A client's connection to the agent. */
export interface AgentConnection {
  /** Resolves when the client has disconnected and its sessions are released. */
  readonly closed: Promise<void>;
  startConnectHandlers?(): void;
}

/** Connects a client to the agent. Supports both protocol versions; the client selects one. */
export function connectClient(
  sdk: AcpSdk,
  context: AcpContext,
  { stream, version, ...options }: AgentConnectOptions & { stream: Stream; version: string },
): AgentConnection {
  const service = new Service(sdk, context, { name: "halyard", title: "Halyard", version });
  const router = sdk.second
    .agentProtocolRouter()
    .withV1(firstApp(service))
    .withV2(secondApp(service));
  const connection = router.connect(stream, options);
  const closed = connection.closed.then(() => service.close());
  return { closed, startConnectHandlers: () => connection.startConnectHandlers?.() };
}
