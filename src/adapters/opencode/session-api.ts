import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { Answer } from "../../schema/permission.ts";
import { type Client, Refusal } from "./client.ts";
import { McpStatus } from "./mcp-servers.ts";
import { MessageInfo, Part, Permission, Question, SessionInfo, SessionStatus } from "./messages.ts";
import type { SessionRule } from "./policy.ts";
import { permissionReply, questionReply } from "./requests.ts";

const Session = SessionInfo.extend({
  directory: z.string(),
  permission: z.array(z.unknown()).optional(),
});
export type Session = z.infer<typeof Session>;

const Message = z.looseObject({ info: MessageInfo, parts: z.array(Part) });
export type Message = z.infer<typeof Message>;

const Agents = z.array(z.looseObject({ name: z.string(), mode: z.string().optional() }));

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

/** What goes with every message, for OpenCode does not keep it: who answers it, with which model, thinking how hard. */
export interface PromptSettings {
  readonly agent: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
  readonly variant?: string;
  readonly system?: string;
}

/** The turn has watchdogs of its own. */
const FOREVER_MS = 2 ** 31 - 1;

/** OpenCode's routes for sessions in one directory. */
export class SessionApi {
  readonly #client: Client;
  readonly #directory: string;

  constructor(client: Client, directory: string) {
    this.#client = client;
    this.#directory = directory;
  }

  /** Without a title, OpenCode would have the model think of one. */
  create(title: string, permission: readonly SessionRule[]): Promise<Session> {
    return this.#client.post("/session", Session, { ...this.#here, body: { title, permission } });
  }

  /** Undefined where there is no such session; an id that is none at all makes the server stumble. */
  async find(id: string): Promise<Session | undefined> {
    if (!/^ses[\w-]*$/.test(id)) return undefined;
    try {
      return await this.#client.get(`/session/${id}`, Session, this.#here);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Rules are added to those there are, and the last that fits counts. */
  permit(id: string, permission: readonly SessionRule[]): Promise<void> {
    return this.#client.tell("PATCH", `/session/${id}`, { ...this.#here, body: { permission } });
  }

  agents(): Promise<z.infer<typeof Agents>> {
    return this.#client.get("/agent", Agents, this.#here);
  }

  providers(): Promise<Providers> {
    return this.#client.get("/config/providers", Providers, this.#here);
  }

  mcpServers(): Promise<McpStatus> {
    return this.#client.get("/mcp", McpStatus, this.#here);
  }

  prompt(id: string, text: string, settings: PromptSettings): Promise<void> {
    return this.#say(`/session/${id}/prompt_async`, text, settings);
  }

  /** The same, but resolves only when the answer is complete. */
  converse(id: string, text: string, settings: PromptSettings): Promise<void> {
    return this.#say(`/session/${id}/message`, text, settings, { timeoutMs: FOREVER_MS });
  }

  async #say(
    path: string,
    text: string,
    settings: PromptSettings,
    limit: { timeoutMs?: number } = {},
  ): Promise<void> {
    const body = { parts: [{ type: "text", text }], ...settings };
    try {
      await this.#client.tell("POST", path, { ...this.#here, ...limit, body });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const code = cause.status === 404 ? "runtime_session_not_found" : "delivery_failed";
      throw new HalyardError(code, cause.message, { cause });
    }
  }

  abort(id: string, timeoutMs?: number): Promise<void> {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#client.tell("POST", `/session/${id}/abort`, { ...this.#here, ...limit });
  }

  /** Undoes `create`; one that is gone already is no trouble. */
  async delete(id: string): Promise<void> {
    try {
      await this.#client.tell("DELETE", `/session/${id}`, this.#here);
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 404)) throw error;
    }
  }

  messages(id: string, limit?: number): Promise<Message[]> {
    const query = limit === undefined ? "" : `?limit=${limit}`;
    return this.#client.get(`/session/${id}/message${query}`, z.array(Message), this.#here);
  }

  /** The last message there is. */
  async latest(id: string): Promise<string | undefined> {
    return (await this.messages(id, 1)).at(-1)?.info.id;
  }

  /** Only sessions that are at work are listed. */
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

  /** Says whether OpenCode still waited for it: it denies all that is open in a session along with one of them. */
  async answer(id: string, answer: Answer): Promise<boolean> {
    const isQuestion = id.startsWith("que");
    const question = isQuestion ? (await this.questions()).find((one) => one.id === id) : undefined;
    if (isQuestion && question === undefined) return false;
    const reply = question
      ? questionReply(id, answer, question.questions.length)
      : permissionReply(id, answer);
    try {
      await this.#client.tell("POST", reply.path, { ...this.#here, body: reply.body });
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return false;
      throw error;
    }
  }

  get #here() {
    return { directory: this.#directory };
  }
}
