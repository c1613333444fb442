import * as first from "@agentclientprotocol/sdk";

type Asked = first.RequestPermissionRequest;
type Chosen = first.RequestPermissionResponse["outcome"];

export interface FirstClientOptions {
  readonly capabilities?: first.ClientCapabilities;
  /** Returns the id of the option that answers a permission request. Defaults to `deny`. */
  readonly answer?: (asked: Asked, signal: AbortSignal) => string | Promise<string>;
  readonly onUpdate?: (notification: first.SessionNotification) => void;
  /** Returns the text to enter into a form. */
  readonly write?: (message: string) => string;
}

/** An ACP client that uses protocol version 1, built with the official SDK. It records the updates that it receives. */
export class FirstClient {
  readonly agent: first.ClientContext;
  readonly updates: first.SessionUpdate[] = [];
  readonly asked: Asked[] = [];
  readonly greeting: Promise<first.InitializeResponse>;
  readonly connection: first.ClientConnection;

  constructor(stream: first.Stream, options: FirstClientOptions = {}) {
    const { capabilities = {}, answer = () => "deny", write = () => "" } = options;
    this.connection = first
      .client()
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
        options.onUpdate?.(params);
      })
      .onRequest("session/request_permission", async ({ params, signal }) => {
        this.asked.push(params);
        return { outcome: await choose(answer(params, signal)) };
      })
      .onRequest("elicitation/create", ({ params }) => ({
        action: "accept",
        content: { answer: write(params.message) },
      }))
      .connect(stream);
    this.agent = this.connection.agent;
    const clientInfo = { name: "editor", version: "9" };
    this.greeting = this.agent.request("initialize", {
      protocolVersion: 1,
      clientInfo,
      clientCapabilities: capabilities,
    });
  }

  async newSession(cwd: string, mcpServers: first.McpServer[] = []): Promise<string> {
    const { sessionId } = await this.agent.request("session/new", { cwd, mcpServers });
    return sessionId;
  }

  prompt(sessionId: string, text: string): Promise<first.PromptResponse> {
    return this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Returns the agent's text, the agent's reasoning, or the user's text. */
  receivedText(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string {
    const pieces = this.updates.flatMap((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
    );
    return pieces.join("");
  }

  of<K extends first.SessionUpdate["sessionUpdate"]>(kind: K) {
    return this.updates.filter(
      (update): update is Extract<first.SessionUpdate, { sessionUpdate: K }> =>
        update.sessionUpdate === kind,
    );
  }
}

async function choose(optionId: string | Promise<string>): Promise<Chosen> {
  return { outcome: "selected", optionId: await optionId };
}
