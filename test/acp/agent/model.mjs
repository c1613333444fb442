// @ts-nocheck: this agent imitates third-party JavaScript
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const { AGENT_MODEL_URL: url, AGENT_MODEL_KEY: key } = process.env;

/**
 * Sends the messages to the model over openai-chat. Calls `onPiece(channel, text)` for each delta and returns the complete
 * message. Makes up to three attempts if the errors are transient, and calls `onRetry` before each retry.
 */
export async function complete({ messages, model, tools, signal, onPiece, onRetry }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce({ messages, model, tools: tools.map(toTool), signal, onPiece });
    } catch (error) {
      if (signal.aborted || error.isFinal || attempt === 3) throw error;
      onRetry();
      await sleep(50, undefined, { signal });
    }
  }
}

async function attemptOnce({ messages, model, tools, signal, onPiece }) {
  const body = { model, messages, tools, stream: true, stream_options: { include_usage: true } };
  const response = await post(`${url}/chat/completions`, JSON.stringify(body), signal);
  if (response.statusCode !== 200) {
    const { error } = JSON.parse((await response.toArray()).join(""));
    throw Object.assign(new Error(error.message), { isFinal: response.statusCode < 500 });
  }
  const reply = {
    text: "",
    calls: [],
    usage: { prompt_tokens: 0, completion_tokens: 0 },
    finish: undefined,
  };
  for await (const data of eventsOf(response)) {
    if (data === "[DONE]") continue;
    const { choices = [], usage } = JSON.parse(data);
    if (usage) reply.usage = usage;
    for (const { delta = {}, finish_reason: finish } of choices)
      take(reply, delta, finish, onPiece);
  }
  if (reply.finish === undefined) throw new Error("the stream broke off");
  return reply;
}

/** Sends a request without `fetch`, whose first use in a process takes 0.1 s of CPU. */
async function post(target, body, signal) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const sent = request(target, { method: "POST", agent: false, headers, signal }).end(body);
  const [response] = await once(sent, "response");
  return response.setEncoding("utf8");
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
  for await (const piece of body) {
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
