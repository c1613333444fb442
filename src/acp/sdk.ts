type First = typeof import("@agentclientprotocol/sdk");
type Second = typeof import("@agentclientprotocol/sdk/experimental/v2");

/** The official SDK, which is an optional peer: whoever serves ACP brings it along. */
export interface AcpSdk {
  /** The protocol as it is. */
  readonly first: Pick<First, "agent" | "ndJsonStream" | "RequestError">;
  /** The draft of its next version. */
  readonly second: Pick<Second, "agent" | "agentProtocolRouter">;
}
