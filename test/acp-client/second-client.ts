import * as second from "@agentclientprotocol/sdk/experimental/v2";
import { z } from "zod";

const Said = z.looseObject({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.looseObject({ text: z.string() }),
});

type Asked = second.RequestPermissionRequest;

/** An editor that speaks version 2 with the official SDK, and what it was told. */
export class SecondClient {
  readonly agent: second.ClientContext;
  readonly updates: second.SessionUpdate[] = [];
  readonly asked: Asked[] = [];
  readonly greeting: Promise<second.InitializeResponse>;

  constructor(
    stream: second.Stream,
    { answer = () => "deny" }: { answer?: (asked: Asked) => string | Promise<string> } = {},
  ) {
    this.agent = second
      .client()
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
      })
      .onRequest("session/request_permission", async ({ params }) => {
        this.asked.push(params);
        return { outcome: { outcome: "selected", optionId: await answer(params) } };
      })
      .connect(stream).agent;
    this.greeting = this.agent.request("initialize", {
      protocolVersion: 2,
      info: { name: "editor", version: "9" },
      capabilities: {},
    });
  }

  prompt(sessionId: string, text: string): Promise<second.PromptResponse> {
    return this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** What the session was at, and how turns ended. */
  get states(): string[] {
    return this.updates.flatMap((update) => {
      if (update.sessionUpdate !== "state_update") return [];
      const reason = "stopReason" in update ? ` ${update.stopReason}` : "";
      return [`${"state" in update ? update.state : ""}${reason}`];
    });
  }

  /** What the agent said. */
  get said(): string {
    return this.updates.map((update) => Said.safeParse(update).data?.content.text ?? "").join("");
  }
}
