import type { AgentApp } from "@agentclientprotocol/sdk/experimental/v2";
import { HalyardError } from "../../errors/error.ts";
import { failureOf } from "../../halyard/turn-results.ts";
import type { Conversations } from "../conversations.ts";
import { promptMessage } from "../prompt-message.ts";
import type { Service } from "../service.ts";
import { listSessions } from "../session-list.ts";
import { toLocation } from "../session-location.ts";
import { SecondClient, toConfigOptions } from "./client.ts";

/** Creates the agent for version 2 of the protocol. */
export function secondApp(service: Service): AgentApp {
  const { sdk, info, guard } = service;
  let client: SecondClient | undefined;
  const all = (): Conversations => service.conversations;
  const optionsOf = (id: string) => ({ configOptions: toConfigOptions(all().choices(id)) });
  return sdk.second
    .agent({ name: info.name })
    .onConnect((connection) => {
      client = new SecondClient(connection);
      service.open(client);
    })
    .onRequest("initialize", ({ params }) => {
      if (client) client.capabilities = params.capabilities ?? {};
      service.logVersion(2, params.info);
      return {
        protocolVersion: 2,
        info,
        capabilities: {
          session: {
            prompt: { embeddedContext: {}, image: {} },
            mcp: { stdio: {}, http: {} },
            delete: {},
          },
        },
      };
    })
    .onRequest(
      "session/new",
      guard(async ({ params }) => {
        const { id } = (await all().begin(toLocation(params))).info;
        return { sessionId: id, ...optionsOf(id) };
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
        const conversation = await all().load(sessionId, toLocation(location), replayFrom != null);
        await conversation.reportNow();
        return optionsOf(sessionId);
      }),
    )
    .onRequest(
      "session/list",
      guard(({ params }) => listSessions(service.context.halyard, params)),
    )
    .onRequest(
      "session/prompt",
      guard(async ({ params: { sessionId, prompt } }) => {
        const message = promptMessage(prompt);
        const prompted = await all().prompt(sessionId, message);
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
