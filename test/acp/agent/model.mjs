// @ts-nocheck: this agent imitates third-party JavaScript
import { setTimeout as sleep } from "node:timers/promises";

const { AGENT_MODEL_URL: url, AGENT_MODEL_KEY: key } = process.env;

/**
 * Sends the messages to the model over openai-chat. Calls `onPiece(channel, text)` for each delta and returns the complete
 * message. Retries transient errors and calls `onRetry`.
 */
export async function complete({ messages, model, tools, signal, onPiece, onRetry }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once({ messages, model, tools: tools.map(toTool), signal, onPiece });
    } catch (error) {
      if (signal.aborted || error.isFinal || attempt === 3) throw error;
      onRetry();
      await sleep(50, undefined, { signal });
    }
  }
}

async function once({ messages, model, tools, signal, onPiece }) {
  const body = { model, messages, tools, stream: true, stream_options: { include_usage: true } };
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    const { error } = await response.json();
    throw Object.assign(new Error(error.message), { isFinal: response.status < 500 });
  }
  const reply = {
    text: "",
    calls: [],
    usage: { prompt_tokens: 0, completion_tokens: 0 },
    finish: undefined,
  };
  for await (const data of eventsOf(response.body)) {
    if (data === "[DONE]") continue;
    const { choices = [], usage } = JSON.parse(data);
    if (usage) reply.usage = usage;
    for (const { delta = {}, finish_reason: finish } of choices)
      take(reply, delta, finish, onPiece);
  }
  if (reply.finish === undefined) throw new Error("the stream broke off");
  return reply;
}

function take(reply, delta, finish, onPiece) {
  const thought = delta.reasoning_content ?? delta.reasoning;
  if (thought) onPiece("thought", thought);
  if (delta.content) {
    reply.text += delta.content;
    onPiece("message", delta.content);
  }
  for (const { index, id, function: called } of delta.tool_calls ?? []) {
    reply.calls[index] ??= { id, name: "", input: "" };
    reply.calls[index].name += called?.name ?? "";
    reply.calls[index].input += called?.arguments ?? "";
  }
  if (finish) reply.finish = finish;
}

async function* eventsOf(body) {
  let text = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) if (event.startsWith("data: ")) yield event.slice(6);
  }
}

const toTool = (name) => ({
  type: "function",
  function: { name, description: name, parameters: { type: "object" } },
});
