import type {
  AgentApp,
  ClientCapabilities,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { HalyardError } from "../../errors/error.ts";
import { failureOf } from "../../halyard/turn-results.ts";
import { traceParentIn } from "../../schema/trace-parent.ts";
import type { Conversation } from "../conversations/conversation.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { readMeta, toMeta } from "../meta.ts";
import { promptMessage } from "../prompt-message.ts";
import type { Service } from "../service.ts";
import { listSessions } from "../session-list.ts";
import { readBeginning, toLocation } from "../session-location.ts";
import { SecondClient, toConfigOptions } from "./client.ts";

/** Creates the agent for protocol version 2. */
export function secondApp(service: Service): AgentApp {
  const { sdk, info, guard } = service;
  let client: SecondClient | undefined;
  let capabilities: ClientCapabilities = {};
  const all = (): Conversations => service.conversations;
  const optionsOf = ({ info: { id }, cursor }: Conversation) => ({
    configOptions: toConfigOptions(all().choices(id)),
    ...toMeta({ cursor }),
  });
  return sdk.second
    .agent({ name: info.name })
    .onConnect((connection) => {
      client = new SecondClient(connection, capabilities);
      service.open(client);
    })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.capabilities ?? {};
      if (client) client.capabilities = capabilities; // over a network, the client connects only after this request
      service.logVersion(2, params.info);
      return {
        protocolVersion: 2,
        info,
        capabilities: {
          session: {
            prompt: { embeddedContext: {}, image: {} },
            mcp: { stdio: {}, http: {} },
            delete: {},
            fork: {},
          },
        },
      };
    })
    .onRequest(
      "session/new",
      guard(async ({ params }) => {
        const conversation = await all().begin(toLocation(params));
        return { sessionId: conversation.info.id, ...optionsOf(conversation) };
      }),
    )
    .onRequest(
      "session/resume",
      guard(async ({ params: { sessionId, replayFrom, ...location } }) => {
        if (replayFrom && replayFrom.type !== "start")
          throw new HalyardError(
            "unsupported",
            'Events can be replayed only from the start. Set replayFrom to { "type": "start" }.',
          );
        const from = readBeginning(location, replayFrom ? "start" : "now");
        const conversation = await all().load(sessionId, toLocation(location), from);
        await conversation.reportNow();
        return optionsOf(conversation);
      }),
    )
    .onRequest(
      "session/fork",
      guard(async ({ params }) => {
        const conversation = await all().fork(params.sessionId, toLocation(params));
        return { sessionId: conversation.info.id, ...optionsOf(conversation) };
      }),
    )
    .onRequest(
      "session/list",
      guard(({ params }) => listSessions(service.context.halyard, params)),
    )
    .onRequest(
      "session/prompt",
      guard(async ({ params: { sessionId, prompt, _meta } }) => {
        const message = promptMessage(prompt);
        const prompted = await all().prompt(sessionId, message, {
          ...readMeta({ _meta }),
          traceparent: traceParentIn(_meta),
        });
        if (prompted === undefined) throw cancelledBefore();
        const { id, started, ended } = prompted;
        const neverStarted = ended.then((outcome) => {
          throw outcome.status === "cancelled" ? cancelledBefore() : failureOf(outcome);
        });
        await Promise.race([started, neverStarted]);
        return { messageId: id };
      }),
    )
    .onNotification("session/cancel", ({ params }) => all().cancel(params.sessionId))
    .onRequest(
      "session/set_config_option",
      guard(async ({ params: { sessionId, configId, value } }) => ({
        configOptions: toConfigOptions(await all().choose(sessionId, configId, String(value))),
      })),
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

function cancelledBefore(): HalyardError {
  return new HalyardError("cancelled", "The prompt was cancelled before its turn started.");
}
