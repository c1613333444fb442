import { HalyardError } from "../errors/error.ts";
import { limitHalyard } from "../permissions/limit-halyard.ts";
import type { Client } from "./client.ts";
import type { AcpContext } from "./context.ts";
import { Conversations } from "./conversations/conversations.ts";
import { toRequestError } from "./failure.ts";
import type { AcpSdk } from "./sdk.ts";

/** The name and version of this agent, as reported to the client. */
export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** The state that the agents of both protocol versions share while a client is connected. */
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
    throw new HalyardError("internal", "No client is connected.");
  }

  /** Creates the conversations of a client that has connected. */
  open(client: Client): void {
    this.#conversations = new Conversations(this.context, client);
  }

  logVersion(version: 1 | 2, client: { name: string; version: string } | null | undefined): void {
    const who = client ? `${client.name} ${client.version}` : "an unnamed client";
    this.context.log(`using ACP ${version} with ${who}`);
  }

  /** Wraps a handler so that its errors become protocol errors. */
  readonly guard =
    <C, R>(handle: (context: C) => Promise<R>) =>
    async (context: C): Promise<R> => {
      try {
        return await handle(context);
      } catch (error) {
        throw toRequestError(this.sdk, error);
      }
    };

  /** True for the abort reason of a request that the client cancelled; false if the client disconnected. */
  isCancel(reason: unknown): boolean {
    return reason instanceof this.sdk.first.RequestError;
  }

  async close(): Promise<void> {
    await this.#conversations?.leave();
  }
}
