import type { AgentApp, ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { failureOf } from "../../halyard/turn-results.ts";
import { traceParentIn } from "../../schema/trace-parent.ts";
import type { Conversation } from "../conversations/conversation.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { readMeta, toMeta } from "../meta.ts";
import { promptMessage } from "../prompt-message.ts";
import type { Service } from "../service.ts";
import { listSessions } from "../session-list.ts";
import { readBeginning, requireIdle, toLocation } from "../session-location.ts";
import { promptUsage, stopReasonOf } from "../stop-reason.ts";
import { toSettings } from "./choices.ts";
import { FirstClient } from "./client.ts";

/** Creates the agent for protocol version 1. */
export function firstApp(service: Service): AgentApp {
  const { sdk, info, guard } = service;
  let client: FirstClient | undefined;
  let capabilities: ClientCapabilities = {};
  const all = (): Conversations => service.conversations;
  const settingsOf = ({ info: { id }, cursor }: Conversation) => ({
    ...toSettings(all().choices(id)),
    ...toMeta({ cursor }),
  });
  return sdk.first
    .agent({ name: info.name })
    .onConnect((connection) => {
      client = new FirstClient(connection, capabilities);
      service.open(client);
    })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      if (client) client.capabilities = capabilities; // over a network, the client connects only after this request
      service.logVersion(1, params.clientInfo);
      return {
        protocolVersion: 1,
        agentInfo: info,
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true, image: true, audio: false },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(
      "session/new",
      guard(async ({ params }) => {
        const conversation = await all().begin(toLocation(params));
        return { sessionId: conversation.info.id, ...settingsOf(conversation) };
      }),
    )
    .onRequest(
      "session/load",
      guard(async ({ params }) => {
        const from = readBeginning(params, "start");
        return settingsOf(await all().load(params.sessionId, toLocation(params), from));
      }),
    )
    .onRequest(
      "session/resume",
      guard(async ({ params }) => {
        const from = readBeginning(params, "now");
        return settingsOf(await all().load(params.sessionId, toLocation(params), from));
      }),
    )
    .onRequest(
      "session/fork",
      guard(async ({ params }) => {
        const conversation = await all().fork(params.sessionId, toLocation(params));
        return { sessionId: conversation.info.id, ...settingsOf(conversation) };
      }),
    )
    .onRequest(
      "session/list",
      guard(({ params }) => listSessions(service.context.halyard, params)),
    )
    .onRequest(
      "session/prompt",
      guard(async ({ params: { sessionId, prompt, _meta }, signal }) => {
        const message = promptMessage(prompt);
        const onAbort = () => service.isCancel(signal.reason) && void all().cancel(sessionId);
        signal.addEventListener("abort", onAbort);
        const { messageId } = readMeta({ _meta });
        const prompted = await all().prompt(sessionId, message, {
          check: requireIdle,
          messageId,
          traceparent: traceParentIn(_meta),
        });
        if (prompted === undefined) return { stopReason: "cancelled" };
        const outcome = await prompted.ended;
        const stopReason = stopReasonOf(outcome);
        if (stopReason === undefined) throw failureOf(outcome);
        return { stopReason, usage: promptUsage(outcome) };
      }),
    )
    .onNotification("session/cancel", ({ params }) => all().cancel(params.sessionId))
    .onRequest(
      "session/set_mode",
      guard(async ({ params }) => {
        await all().choose(params.sessionId, "mode", params.modeId);
        return {};
      }),
    )
    .onRequest(
      "session/set_config_option",
      guard(async ({ params: { sessionId, configId, value } }) => {
        const choices = await all().choose(sessionId, configId, String(value));
        return { configOptions: toSettings(choices).configOptions };
      }),
    )
    .onRequest(
      "session/close",
      guard(async ({ params }) => all().close(params.sessionId)),
    )
    .onRequest(
      "session/delete",
      guard(async ({ params }) => all().remove(params.sessionId)),
    );
}
