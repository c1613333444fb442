// @ts-nocheck: this agent imitates third-party JavaScript
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialect } from "./dialect.mjs";
import { misbehave } from "./misbehave.mjs";
import { complete } from "./model.mjs";
import { toolsOf } from "./servers.mjs";
import { at, kinds, use } from "./tools.mjs";

const stateDir = process.env.AGENT_STATE ?? ".";
const fileOf = (id) => join(stateDir, `${id}.json`);

/** A conversation that is stored in a file. */
export class Session {
  static load(id, options) {
    if (!existsSync(fileOf(id)))
      throw Object.assign(new Error("Resource not found"), { code: -32002 });
    return Object.assign(
      new Session({ id, ...options }),
      JSON.parse(readFileSync(fileOf(id), "utf8")),
    );
  }

  messages = [];
  mode = "ask";
  model = "scripted";
  /** The tools of MCP servers. */
  tools = Promise.resolve(new Map());

  constructor({ id = randomUUID(), cwd, version, client, systemPrompt }) {
    Object.assign(this, { id, cwd, version, client });
    this.tell = dialect(version, id);
    const words = systemPrompt?.content.map(({ text }) => text).join("");
    if (words) this.messages.push({ role: "system", content: words });
  }

  useServers(servers) {
    this.tools = toolsOf(servers, (title) =>
      this.tell.update("notice", { severity: "warning", title }),
    );
  }

  /** Sends the earlier messages again. */
  replay() {
    for (const { role, content } of this.messages) {
      if (role === "user")
        this.tell.update("user_message_chunk", { content: { type: "text", text: content } });
      if (role === "assistant" && content)
        this.tell.piece("message", `old-${content.length}`, content);
    }
  }

  async prompt(id, prompt, meta = {}) {
    this.meta = meta;
    const text = prompt.map((block) => block.text ?? "").join("");
    const images = prompt.filter(({ type }) => type === "image");
    this.abort = new AbortController();
    this.usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    this.tell.begun(id, randomUUID(), prompt);
    this.messages.push({
      role: "user",
      content: images.length > 0 ? withImages(text, images) : text,
    });
    this.save();
    try {
      const stopReason = text.startsWith("!")
        ? await misbehave(this, id, text.slice(1))
        : await this.work();
      this.save();
      if (stopReason) this.tell.over(id, stopReason, this.usage);
    } catch (error) {
      this.save();
      if (this.abort.signal.aborted) this.tell.over(id, "cancelled", this.usage);
      else this.tell.failed(id, error.message);
    }
  }

  save() {
    const { messages, mode, model } = this;
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(fileOf(this.id), JSON.stringify({ messages, mode, model }));
  }

  async work() {
    while (true) {
      const { text, calls, finish } = await this.think();
      this.messages.push({
        role: "assistant",
        content: text,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: input },
          })),
        }),
      });
      if (calls.length === 0) return finish === "length" ? "max_tokens" : "end_turn";
      for (const call of calls) {
        const content = await this.act(call);
        this.messages.push({ role: "tool", tool_call_id: call.id, content });
      }
    }
  }

  async think() {
    const messageId = randomUUID();
    const reply = await complete({
      messages: this.messages,
      model: this.model,
      tools: [...Object.keys(kinds), ...(await this.tools).keys()],
      signal: this.abort.signal,
      onPiece: (channel, text) => this.tell.piece(channel, messageId, text),
      onRetry: () => this.tell.retold(messageId),
    });
    this.usage.inputTokens += reply.usage.prompt_tokens;
    this.usage.outputTokens += reply.usage.completion_tokens;
    this.usage.totalTokens = this.usage.inputTokens + this.usage.outputTokens;
    return reply;
  }

  /** Runs a tool call if it is permitted, and returns its output for the model. */
  async act({ id: toolCallId, name, input: json }) {
    const input = JSON.parse(json || "{}");
    const { signal } = this.abort;
    this.tell.call({ toolCallId, name, title: name, kind: kinds[name] ?? "other" });
    let isShown = false;
    try {
      if (this.mode === "plan") throw new Error("only plans are made now");
      await this.requirePermission({ toolCallId, name, input });
      signal.throwIfAborted();
      this.tell.started(toolCallId, input);
      const result = await use(
        { name, input },
        {
          more: await this.tools,
          cwd: this.cwd,
          sessionId: this.id,
          signal,
          client: this.client,
          onTerminal: (terminalId) => {
            isShown = true;
            this.tell.inTerminal(toolCallId, terminalId);
          },
        },
      );
      const { output, exitCode = 0 } = result;
      this.tell.ended(toolCallId, exitCode === 0 ? "completed" : "failed", {
        ...result,
        exitCode,
        isShown,
      });
      return output;
    } catch (error) {
      this.tell.ended(toolCallId, "failed", {
        output: error.message,
        exitCode: undefined,
        isShown,
      });
      if (signal.aborted) throw error;
      return error.message;
    }
  }

  async requirePermission({ toolCallId, name, input }) {
    const isKnown = kinds[name] !== undefined || (await this.tools).has(name);
    if (!isKnown || this.mode === "free") return;
    const locations = input.path ? [{ path: at(this.cwd, input.path) }] : [];
    const toolCall = {
      toolCallId,
      title: name,
      name,
      kind: kinds[name] ?? "other",
      rawInput: input,
      locations,
    };
    const { outcome, _meta } = await this.tell.permission(toolCall, options);
    if (outcome.outcome === "cancelled") this.abort.abort();
    if (outcome.optionId !== "yes" && outcome.optionId !== "always")
      throw new Error(`permission denied: ${_meta?.reason ?? "no reason given"}`);
  }
}

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** Returns the content of a chat message with images. */
function withImages(text, images) {
  const toPart = ({ mimeType, data }) => ({
    type: "image_url",
    image_url: { url: `data:${mimeType};base64,${data}` },
  });
  return [{ type: "text", text }, ...images.map(toPart)];
}
