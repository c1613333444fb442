import * as second from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { z } from "zod";

const Said = z.looseObject({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.looseObject({ text: z.string() }),
});

type Asked = second.RequestPermissionRequest;

interface SecondClientOptions {
  readonly capabilities?: second.ClientCapabilities;
  /** Returns the id of the option that answers a permission request. Defaults to `deny`. */
  answer?(asked: Asked): string | Promise<string>;
  /** Returns the text to enter into a form. */
  write?(message: string): string;
}

/** An ACP client that uses protocol version 2, built with the official SDK. It records the updates that it receives. */
export class SecondClient {
  readonly agent: second.ClientContext;
  readonly updates: second.SessionUpdate[] = [];
  readonly asked: Asked[] = [];
  readonly greeting: Promise<second.InitializeResponse>;

  constructor(stream: second.Stream, options: SecondClientOptions = {}) {
    const { capabilities = {}, answer = () => "deny", write = () => "" } = options;
    this.agent = second
      .client()
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
      })
      .onRequest("session/request_permission", async ({ params }) => {
        this.asked.push(params);
        return { outcome: { outcome: "selected", optionId: await answer(params) } };
      })
      .onRequest("elicitation/create", ({ params }) => ({
        action: "accept",
        content: { answer: write(params.message) },
      }))
      .connect(stream).agent;
    this.greeting = this.agent.request("initialize", {
      protocolVersion: 2,
      info: { name: "editor", version: "9" },
      capabilities,
    });
  }

  prompt(sessionId: string, text: string): Promise<second.PromptResponse> {
    return this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Returns the reported session states in order, with the stop reasons of turns. */
  get states(): string[] {
    return this.updates.flatMap((update) => {
      if (update.sessionUpdate !== "state_update") return [];
      const reason = "stopReason" in update ? ` ${update.stopReason}` : "";
      return [`${"state" in update ? update.state : ""}${reason}`];
    });
  }

  /** Returns the agent's text. */
  get said(): string {
    return this.updates.map((update) => Said.safeParse(update).data?.content.text ?? "").join("");
  }
}
