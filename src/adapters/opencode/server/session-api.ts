import { z } from "zod";
import { dataUrl } from "../../../adapter-kit/data-url.ts";
import type { ImageContent, TurnInput } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { SlashCommand } from "../../../schema/conversation/slash-command.ts";
import type { Answer } from "../../../schema/permission.ts";
import { McpStatus } from "../config/mcp-servers.ts";
import { permissionReply, questionReply } from "../events/requests.ts";
import {
  MessageInfo,
  NativeSessionInfo,
  Part,
  Permission,
  Question,
  SessionStatus,
} from "../messages.ts";
import type { SessionRule } from "../policy.ts";
import { type Client, ServerError } from "./client.ts";

const Session = NativeSessionInfo.extend({
  directory: z.string(),
  permission: z.array(z.unknown()).optional(),
});
export type OpenCodeSession = z.infer<typeof Session>;

const Message = z.looseObject({ info: MessageInfo, parts: z.array(Part) });
export type Message = z.infer<typeof Message>;

const Agents = z.array(z.looseObject({ name: z.string(), mode: z.string().optional() }));

const ToolNames = z.array(z.string());

const Answered = z.object({ providerID: z.string(), modelID: z.string() });

const Commands = z.array(
  z.looseObject({ name: z.string(), description: z.string().nullish().catch(undefined) }),
);

const Providers = z.looseObject({
  providers: z.array(
    z.looseObject({
      id: z.string(),
      models: z.record(
        z.string(),
        z.looseObject({ id: z.string(), variants: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  ),
  default: z.record(z.string(), z.string()).optional(),
});
export type Providers = z.infer<typeof Providers>;

/** Settings that each message contains, because OpenCode does not store them per session. */
export interface PromptSettings {
  readonly agent: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
  readonly variant?: string;
  readonly system?: string;
}

/** The largest timer value in milliseconds. It stands for no timeout, because the session's limits apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** OpenCode's HTTP routes for the sessions of one directory. */
export class SessionApi {
  readonly #client: Client;
  readonly #directory: string;

  constructor(client: Client, directory: string) {
    this.#client = client;
    this.#directory = directory;
  }

  /** Creates a session. Without a title, OpenCode would request one from the model. */
  create(title: string, permission: readonly SessionRule[]): Promise<OpenCodeSession> {
    return this.#client.post("/session", Session, { ...this.#here, body: { title, permission } });
  }

  /** Creates a session with a copy of another session's messages. */
  async fork(id: string, title: string): Promise<OpenCodeSession> {
    const copy = await this.#client.post(`/session/${id}/fork`, Session, {
      ...this.#here,
      body: {},
    });
    await this.#client.send("PATCH", `/session/${copy.id}`, { ...this.#here, body: { title } });
    return copy;
  }

  /** Compacts a session. Resolves when the compaction has ended. */
  summarize(id: string, model: PromptSettings["model"]): Promise<void> {
    const limit = { timeoutMs: NO_TIMEOUT_MS };
    const body = { ...model, auto: false };
    return this.#client.send("POST", `/session/${id}/summarize`, { ...this.#here, ...limit, body });
  }

  async commands(): Promise<SlashCommand[]> {
    const commands = await this.#client.get("/command", Commands, this.#here);
    return commands.map(({ name, description }) => ({ name, ...(description && { description }) }));
  }

  /** Resolves with the model of the agent's last message, or undefined if there is none. */
  async lastModel(id: string): Promise<PromptSettings["model"]> {
    const all = await this.messages(id);
    return all.flatMap(({ info }) => Answered.safeParse(info).data ?? []).at(-1);
  }

  /**
   * Finds a session. Resolves with undefined for an unknown id. Does not send invalid ids, because OpenCode does not
   * handle them correctly.
   */
  async find(id: string): Promise<OpenCodeSession | undefined> {
    if (!/^ses[\w-]*$/.test(id)) return undefined;
    try {
      return await this.#client.get(`/session/${id}`, Session, this.#here);
    } catch (error) {
      if (error instanceof ServerError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Adds permission rules to a session. The last matching rule applies. */
  permit(id: string, permission: readonly SessionRule[]): Promise<void> {
    return this.#client.send("PATCH", `/session/${id}`, { ...this.#here, body: { permission } });
  }

  agents(): Promise<z.infer<typeof Agents>> {
    return this.#client.get("/agent", Agents, this.#here);
  }

  providers(): Promise<Providers> {
    return this.#client.get("/config/providers", Providers, this.#here);
  }

  /** Resolves with the names of all tools except those of MCP servers. */
  toolNames(): Promise<string[]> {
    return this.#client.get("/experimental/tool/ids", ToolNames, this.#here);
  }

  mcpServers(): Promise<McpStatus> {
    return this.#client.get("/mcp", McpStatus, this.#here);
  }

  /** Sends a message without waiting for the turn. */
  prompt(id: string, input: Prompt, settings: PromptSettings): Promise<void> {
    return this.#prompt(`/session/${id}/prompt_async`, input, settings);
  }

  /** Sends a message and resolves at the end of the turn. */
  promptBlocking(id: string, input: Prompt, settings: PromptSettings): Promise<void> {
    return this.#prompt(`/session/${id}/message`, input, settings, { timeoutMs: NO_TIMEOUT_MS });
  }

  async #prompt(
    path: string,
    { text, images = [] }: Prompt,
    settings: PromptSettings,
    limit: { timeoutMs?: number } = {},
  ): Promise<void> {
    const files = images.map(toFilePart);
    const body = { parts: [...files, { type: "text", text }], ...settings };
    try {
      await this.#client.send("POST", path, { ...this.#here, ...limit, body });
    } catch (cause) {
      if (!(cause instanceof ServerError)) throw cause;
      const code = cause.status === 404 ? "runtime_session_not_found" : "delivery_failed";
      throw new HalyardError(code, cause.message, { cause });
    }
  }

  abort(id: string, timeoutMs?: number): Promise<void> {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#client.send("POST", `/session/${id}/abort`, { ...this.#here, ...limit });
  }

  /** Deletes a session. Does nothing if it does not exist. */
  async delete(id: string): Promise<void> {
    try {
      await this.#client.send("DELETE", `/session/${id}`, this.#here);
    } catch (error) {
      if (!(error instanceof ServerError && error.status === 404)) throw error;
    }
  }

  messages(id: string, limit?: number): Promise<Message[]> {
    const query = limit === undefined ? "" : `?limit=${limit}`;
    return this.#client.get(`/session/${id}/message${query}`, z.array(Message), this.#here);
  }

  /** Resolves with the id of the last message, or with undefined if the session has no messages. */
  async latest(id: string): Promise<string | undefined> {
    return (await this.messages(id, 1)).at(-1)?.info.id;
  }

  /** True if the session is idle. OpenCode's list of states may omit idle sessions. */
  async isIdle(id: string): Promise<boolean> {
    const all = await this.#client.get(
      "/session/status",
      z.record(z.string(), SessionStatus),
      this.#here,
    );
    return (all[id]?.type ?? "idle") === "idle";
  }

  permissions(): Promise<Permission[]> {
    return this.#client.get("/permission", z.array(Permission), this.#here);
  }

  questions(): Promise<Question[]> {
    return this.#client.get("/question", z.array(Question), this.#here);
  }

  /** Answers a request. Resolves with false if OpenCode no longer waits for the answer. */
  async answer(id: string, answer: Answer): Promise<boolean> {
    const isQuestion = id.startsWith("que");
    const question = isQuestion ? (await this.questions()).find((one) => one.id === id) : undefined;
    if (isQuestion && question === undefined) return false;
    const reply = question
      ? questionReply(id, answer, question.questions.length)
      : permissionReply(id, answer);
    try {
      await this.#client.send("POST", reply.path, { ...this.#here, body: reply.body });
      return true;
    } catch (error) {
      if (error instanceof ServerError && error.status === 404) return false;
      throw error;
    }
  }

  get #here() {
    return { directory: this.#directory };
  }
}

type Prompt = Pick<TurnInput, "text" | "images">;

function toFilePart(image: ImageContent) {
  const { mediaType: mime, name: filename = "image" } = image;
  return { type: "file", mime, filename, url: dataUrl(image) };
}
