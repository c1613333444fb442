type First = typeof import("@agentclientprotocol/sdk/unstable");
type Second = typeof import("@agentclientprotocol/sdk/experimental/v2/unstable");

/** The official ACP SDK, an optional peer dependency that the caller passes in. */
export interface AcpSdk {
  /** Version 1 of the protocol, including methods that are not final, such as `session/fork`. */
  readonly first: Pick<First, "agent" | "ndJsonStream" | "RequestError">;
  /** The draft of version 2, including the same methods. */
  readonly second: Pick<Second, "agent" | "agentProtocolRouter">;
}

/** The SDK with its network transports. */
export interface AcpNetworkSdk extends AcpSdk {
  readonly server: Pick<typeof import("@agentclientprotocol/sdk/experimental/server"), "AcpServer">;
}
