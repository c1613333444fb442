import { HalyardError } from "../core/error.ts";
import { limitHalyard } from "../core/limit-halyard.ts";
import type { Client } from "./client.ts";
import type { AcpContext } from "./context.ts";
import { Conversations } from "./conversations.ts";
import { toRequestError } from "./failure.ts";
import type { AcpSdk } from "./sdk.ts";

/** Who we are. */
export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** What the agents of both versions share while one client is connected. */
export class Service {
  readonly sdk: AcpSdk;
  readonly context: AcpContext;
  readonly info: AgentInfo;
  #conversations: Conversations | undefined;

  constructor(sdk: AcpSdk, context: AcpContext, info: AgentInfo) {
    this.sdk = sdk;
    const { limit = "allow-all", halyard } = context;
    this.context = { ...context, halyard: limitHalyard(halyard, limit) };
    this.info = info;
  }

  get conversations(): Conversations {
    if (this.#conversations) return this.#conversations;
    throw new HalyardError("internal", "no client is connected");
  }

  /** A client has come, in the version that was agreed on. */
  open(client: Client): void {
    this.#conversations = new Conversations(this.context, client);
  }

  agreed(version: 1 | 2, client: { name: string; version: string } | null | undefined): void {
    const who = client ? `${client.name} ${client.version}` : "a client without a name";
    this.context.log(`speaking ACP ${version} with ${who}`);
  }

  /** Has errors answered in the protocol's way. */
  readonly guard =
    <C, R>(handle: (context: C) => Promise<R>) =>
    async (context: C): Promise<R> => {
      try {
        return await handle(context);
      } catch (error) {
        throw toRequestError(this.sdk, error);
      }
    };

  /** Whether a request was taken back, rather than its client lost. */
  isCancel(reason: unknown): boolean {
    return reason instanceof this.sdk.first.RequestError;
  }

  async close(): Promise<void> {
    await this.#conversations?.leave();
  }
}
