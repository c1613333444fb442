type First = typeof import("@agentclientprotocol/sdk/unstable");
type Second = typeof import("@agentclientprotocol/sdk/experimental/v2/unstable");

/** The official SDK. It is an optional peer dependency, which the caller passes in. */
export interface AcpSdk {
  /** Version 1 of the protocol, with methods that are not final, such as `session/fork`. */
  readonly first: Pick<First, "agent" | "ndJsonStream" | "RequestError">;
  /** Draft of version 2, with the same methods. */
  readonly second: Pick<Second, "agent" | "agentProtocolRouter">;
}

/** The SDK with its transports for networks. */
export interface AcpNetworkSdk extends AcpSdk {
  readonly server: Pick<typeof import("@agentclientprotocol/sdk/experimental/server"), "AcpServer">;
}
