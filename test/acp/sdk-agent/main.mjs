#!/usr/bin/env node
// @ts-nocheck: this agent imitates third-party JavaScript
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk/unstable";

/*
 * An ACP agent built with the official SDK, which rejects messages that do not match the schema of the protocol. The arguments are
 * its capabilities: fork, list, providers, directories. With the argument `endless`, its list of sessions has no last page. The
 * agent answers a prompt with the parameters that it has received. If the prompt is a JSON object, the agent sends the object as a
 * form and answers with the result.
 */
const has = (capability) => process.argv.includes(capability);
const received = {};

function open(method, params) {
  received[method] = params;
  const model = { id: "model", name: "Model", category: "model", type: "select" };
  const options = [{ value: "usual", name: "Usual" }];
  return {
    sessionId: randomUUID(),
    configOptions: [{ ...model, currentValue: received.model ?? "usual", options }],
  };
}

agent({ name: "sdk-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "sdk-agent", title: "SDK Agent", version: "1.2.3" },
    agentCapabilities: {
      ...(has("providers") && { providers: {} }),
      sessionCapabilities: {
        ...(has("fork") && { fork: {} }),
        ...(has("list") && { list: {} }),
        ...(has("directories") && { additionalDirectories: {} }),
      },
    },
  }))
  .onRequest("providers/list", () => ({
    providers: [
      { providerId: "other", supported: ["bedrock"], required: false },
      { providerId: "main", supported: ["anthropic"], required: true },
    ],
  }))
  .onRequest("providers/set", ({ params }) => {
    received.provider = params;
    return {};
  })
  .onRequest("session/list", ({ params: { cursor = "0" } }) => {
    const page = Number(cursor);
    const session = (index) => ({
      sessionId: `heron-${index}`,
      cwd: index % 2 === 0 ? "/even" : "/odd",
      title: `Session ${index}\nof several`,
      updatedAt: `2026-11-0${index}T00:00:00Z`,
    });
    const isEndless = has("endless");
    return {
      sessions: [session(page * 2 + 1), session(page * 2 + 2)],
      ...((isEndless || page < 2) && { nextCursor: isEndless ? cursor : String(page + 1) }),
    };
  })
  .onRequest("session/new", ({ params }) => open("new", params))
  .onRequest("session/fork", ({ params }) => open("fork", params))
  .onRequest("session/set_config_option", ({ params }) => {
    received.model = params.value;
    return { configOptions: [] };
  })
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    const [{ text }] = prompt;
    const answer = text.startsWith("{")
      ? await client.request("elicitation/create", {
          mode: "form",
          sessionId,
          message: "Which one?",
          requestedSchema: { type: "object", ...JSON.parse(text) },
        })
      : received;
    await client.notify("session/update", {
      sessionId,
      update: {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: JSON.stringify(answer) },
      },
    });
    return { stopReason: "end_turn" };
  })
  .onNotification("session/cancel", () => {})
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
