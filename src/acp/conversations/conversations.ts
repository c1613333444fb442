import { isAbsolute } from "node:path";
import type { Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { requireSession } from "../../halyard/find-session.ts";
import { fork } from "../../halyard/fork.ts";
import { turnIdOf } from "../../halyard/received-messages.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { Capability, RuntimeName } from "../../schema/runtime.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type Choice, choicesOf, toChanges } from "../choices.ts";
import type { Client } from "../client.ts";
import type { AcpContext } from "../context.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { type Beginning, Conversation, type Prompt } from "./conversation.ts";
import { reopen } from "./reopen.ts";
import { isHeld, isUnused, requireSame, sameAs, withServers } from "./session-facts.ts";

/** The working directory and MCP servers that a client requests for a session. */
export interface SessionLocation {
  readonly cwd: string;
  /** MCP servers by name. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

export interface PromptOptions {
  readonly check?: (conversation: Conversation) => void;
  readonly messageId?: string | undefined;
  /** The trace context of the client. */
  readonly traceparent?: string | undefined;
}

interface OpenConversation {
  readonly conversation: Conversation;
  readonly capabilities: readonly Capability[];
  readonly mcpServers: SessionLocation["mcpServers"];
  /**
   * True if the session was already running when the client opened it. The session then keeps running after the client
   * disconnects.
   */
  readonly isElsewhere: boolean;
}

/** The sessions that one client has open. */
export class Conversations {
  readonly #context: AcpContext;
  readonly #client: Client;
  readonly #conversations = new Map<string, OpenConversation>();
  readonly #tasks = new BackgroundTasks();
  #hasLeft = false;

  constructor(context: AcpContext, client: Client) {
    this.#context = context;
    this.#client = client;
  }

  /** Starts a session. Rejects if `cwd` is not an absolute path. */
  async begin({ cwd, mcpServers }: SessionLocation): Promise<Conversation> {
    requireAbsolute(cwd);
    const request = await this.#context.startRequest(cwd);
    const session = await this.#start({ ...request, cwd }, mcpServers);
    return this.#hold(session, { mcpServers, isElsewhere: false });
  }

  /** Starts a session that continues a copy of another session's conversation. Does not send the copied messages. */
  fork(id: string, location: SessionLocation): Promise<Conversation> {
    return this.#tasks.run(id, () => this.#fork(id, location));
  }

  /** Opens and resumes an existing session. Rejects if `cwd` is another directory, or while a prompt of the client is running. */
  load(id: string, location: SessionLocation, from: Beginning): Promise<Conversation> {
    return this.#tasks.run(id, () => this.#load(id, location, from));
  }

  /**
   * Sends a prompt after all earlier tasks of the session are done and its runtime is running. Resolves to undefined if
   * the prompt is cancelled before it is sent. Calls `check`, which may throw, just before it sends the prompt. If the
   * session has already received a prompt with the same `messageId`, the prompt is not sent again.
   */
  async prompt(
    id: string,
    message: string | MessageInput,
    { check, messageId, traceparent }: PromptOptions = {},
  ): Promise<Prompt | undefined> {
    const turnId = messageId === undefined ? undefined : turnIdOf(id, messageId);
    const past = turnId && (await this.#get(id).conversation.findPrompt(turnId));
    if (past) return past;
    return this.#tasks.runWhenReady(
      id,
      () => this.#ensureRunning(id),
      (conversation) => {
        check?.(conversation);
        return conversation.prompt(message, { id: turnId, traceparent });
      },
    );
  }

  /**
   * Cancels the client's running and waiting prompts. If it has none, interrupts another client's running turn. Does
   * not wait for earlier tasks.
   */
  async cancel(id: string): Promise<void> {
    this.#tasks.cancelPending(id);
    await this.#conversations.get(id)?.conversation.cancel();
  }

  choices(id: string): Choice[] {
    const { conversation, capabilities } = this.#get(id);
    return choicesOf(conversation.info, capabilities, this.#context);
  }

  /**
   * Changes a setting and returns all settings. Restarts the runtime if it cannot change the setting while it runs.
   * Rejects if a restart is necessary during a turn.
   */
  choose(id: string, choice: string, value: string): Promise<Choice[]> {
    return this.#tasks.run(id, () => this.#choose(id, choice, value));
  }

  close(id: string): Promise<void> {
    this.#tasks.cancelPending(id);
    return this.#tasks.run(id, async () => {
      const { conversation } = this.#get(id);
      this.#conversations.delete(id);
      await conversation.stop("closed by the client");
    });
  }

  /** Stops a session and deletes its record. If it rejects, the session stays open. */
  remove(id: string): Promise<void> {
    this.#tasks.cancelPending(id);
    return this.#tasks.run(id, async () => {
      const info = await requireSession(this.#context.halyard, id);
      await this.#context.halyard.remove(info.id);
      this.#conversations.get(id)?.conversation.leave();
      this.#conversations.delete(id);
    });
  }

  /**
   * Handles the disconnection of the client. Sessions that were running before the client opened them keep running.
   * Other sessions stop, except a session whose open turn continues without the client (`continuesTurns`). If clients
   * can reconnect, no session stops.
   */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    const all = [...this.#conversations.values()];
    this.#conversations.clear();
    await Promise.all(all.map((open) => this.#release(open)));
  }

  async #fork(id: string, { cwd, mcpServers }: SessionLocation): Promise<Conversation> {
    requireAbsolute(cwd);
    const { halyard } = this.#context;
    const info = await requireSession(halyard, id);
    const capabilities = await this.#capabilities(info.runtime);
    const { model } = await this.#context.resumeOptions(info);
    const session = await fork(halyard, info.id, {
      cwd,
      ...(model !== undefined && { model }),
      options: capabilities.includes("mcp") ? { mcpServers } : {}, // instead of the original session's servers
    });
    await session.ready();
    return this.#hold(session, { mcpServers, capabilities, isElsewhere: false });
  }

  async #load(
    id: string,
    { cwd, mcpServers }: SessionLocation,
    from: Beginning,
  ): Promise<Conversation> {
    const info = await requireSession(this.#context.halyard, id);
    await requireSame(cwd, info);
    const before = this.#conversations.get(id);
    if (before?.conversation.isBusy)
      throw new HalyardError(
        "invalid_input",
        `A prompt is running in ${id}. Wait for it to end, or cancel it.`,
      );
    const isElsewhere = before?.isElsewhere ?? isHeld(info);
    const session = await this.#resume(info, mcpServers);
    return this.#hold(session, { ...before, mcpServers, isElsewhere }, from);
  }

  /** Returns the conversation. Resumes its session if the runtime has exited. */
  async #ensureRunning(id: string): Promise<Conversation> {
    const open = this.#get(id);
    // Check the session again, because its policy may have been loosened in the meantime.
    if (this.#context.limit) await requireSession(this.#context.halyard, id);
    if (!open.conversation.hasEnded) return open.conversation;
    const info = await requireSession(this.#context.halyard, id);
    return this.#hold(await this.#resume(info, open.mcpServers), open);
  }

  async #choose(id: string, choice: string, value: string): Promise<Choice[]> {
    const open = this.#get(id);
    const { halyard } = this.#context;
    const info = await requireSession(halyard, id); // the session may have ended and been changed in the meantime
    const reopened = await reopen(halyard, info, toChanges(info, choice, value), {
      isBusy: open.conversation.isBusy || openTurnOf(info) !== undefined,
      resume: (as) => this.#resume(as, open.mcpServers),
    });
    if (reopened) await this.#hold(reopened.session, open);
    if (reopened?.refusal !== undefined) throw reopened.refusal;
    if (reopened) await this.#client.offer(info, this.choices(id));
    return this.choices(id);
  }

  async #release({ conversation, isElsewhere }: OpenConversation): Promise<void> {
    conversation.leave();
    if (this.#context.canReconnect) return;
    const continues = this.#context.continuesTurns && openTurnOf(conversation.info) !== undefined;
    if (!isElsewhere && !continues) await conversation.stop("the client disconnected");
  }

  async #start(request: StartRequest, mcpServers: SessionLocation["mcpServers"]): Promise<Session> {
    const { halyard } = this.#context;
    const session = await withServers(mcpServers, (servers) =>
      halyard.start({ ...request, options: { ...request.options, ...servers } }),
    );
    await session.ready();
    return session;
  }

  async #resume(info: SessionInfo, mcpServers: SessionLocation["mcpServers"]): Promise<Session> {
    const { halyard } = this.#context;
    const { model } = info;
    const options = { ...(model && { model }), ...(await this.#context.resumeOptions(info)) };
    const hasServers = Object.keys(mcpServers).length > 0;
    const accepts = hasServers && (await this.#capabilities(info.runtime)).includes("mcp");
    try {
      return await halyard.resume(info.id, {
        ...options,
        options: { ...options.options, ...(accepts && { mcpServers }) },
      });
    } catch (error) {
      if (!isUnused(info, error)) throw error;
      // No message was sent in this session, so a new session with the same id loses nothing.
      const defaults = await this.#context.startRequest(info.cwd);
      await halyard.remove(info.id);
      return this.#start({ ...defaults, ...options, ...sameAs(info) }, mcpServers);
    }
  }

  async #hold(
    session: Session,
    parts: Pick<OpenConversation, "mcpServers" | "isElsewhere"> & Partial<OpenConversation>,
    from: Beginning = "now",
  ): Promise<Conversation> {
    const { id, info } = session;
    const conversation = new Conversation(session, this.#client, {
      halyard: this.#context.halyard,
      onChange: async () => this.#client.offer(info, this.choices(id)),
      keepsRequests: this.#context.canReconnect ?? false,
      log: this.#context.log,
    });
    this.#conversations.get(id)?.conversation.leave();
    const capabilities = parts.capabilities ?? (await this.#capabilities(info.runtime));
    if (this.#hasLeft) await this.#release({ ...parts, conversation, capabilities });
    else this.#conversations.set(id, { ...parts, conversation, capabilities });
    const names = Object.keys(parts.mcpServers).join(", ");
    if (names !== "" && !capabilities.includes("mcp"))
      conversation.addNotice(
        `${info.runtime} does not support the client's MCP servers and runs without ${names}.`,
      );
    if (info.fallback)
      conversation.addNotice(`${info.fallback.reason} ${info.runtime} runs instead.`);
    await conversation.begin(from);
    return conversation;
  }

  async #capabilities(runtime: RuntimeName): Promise<readonly Capability[]> {
    const runtimes = await this.#context.halyard.runtimes();
    return runtimes.find(({ name }) => name === runtime)?.capabilities ?? [];
  }

  #get(id: string): OpenConversation {
    return this.#conversations.get(id) ?? notOpen(id);
  }
}

function requireAbsolute(cwd: string): void {
  if (isAbsolute(cwd)) return;
  throw new HalyardError(
    "invalid_input",
    `The working directory "${cwd}" is not an absolute path. Pass an absolute path as cwd.`,
  );
}

function notOpen(id: string): never {
  throw new HalyardError(
    "session_not_found",
    `Session ${id} is not open. Load or resume it first.`,
  );
}
