import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { HalyardError } from "../core/error.ts";
import { requireSession } from "../core/find-session.ts";
import type { Session } from "../core/halyard.ts";
import type { Capability, RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import { liveStates } from "../schema/session-state.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type Choice, choicesOf, chosen } from "./choices.ts";
import type { Client } from "./client.ts";
import type { AcpContext } from "./context.ts";
import { Conversation, type Prompt } from "./conversation.ts";
import { Errands } from "./errands.ts";
import { reopen } from "./reopen.ts";

/** Where a client wants a session to be. */
export interface Place {
  readonly cwd: string;
  /** By name. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

interface Held {
  readonly conversation: Conversation;
  readonly capabilities: readonly Capability[];
  readonly mcpServers: Place["mcpServers"];
  /** It ran before we came, and goes on when we leave. */
  readonly isElsewhere: boolean;
}

/** The sessions that one client has open. */
export class Conversations {
  readonly #context: AcpContext;
  readonly #client: Client;
  readonly #held = new Map<string, Held>();
  readonly #errands = new Errands();
  #hasLeft = false;

  constructor(context: AcpContext, client: Client) {
    this.#context = context;
    this.#client = client;
  }

  /** Starts a session. */
  async begin({ cwd, mcpServers }: Place): Promise<Conversation> {
    if (!isAbsolute(cwd))
      throw new HalyardError("invalid_input", `the working directory has to be absolute: ${cwd}`);
    const asked = await this.#context.startRequest(cwd);
    const session = await this.#start({ ...asked, cwd }, mcpServers);
    return this.#hold(session, { mcpServers, isElsewhere: false });
  }

  /** Takes up a session that there is already. */
  takeUp(id: string, place: Place, replay: boolean): Promise<Conversation> {
    return this.#errands.run(id, () => this.#takeUp(id, place, replay));
  }

  /**
   * Gives a session its client's prompt, once what was asked for before is done and its runtime runs. Undefined where
   * it was cancelled before that; `check` may throw.
   */
  prompt(
    id: string,
    text: string,
    { check }: { check?: (conversation: Conversation) => void } = {},
  ): Promise<Prompt | undefined> {
    return this.#errands.handOver(
      id,
      () => this.#open(id),
      (conversation) => {
        check?.(conversation);
        return conversation.prompt(text);
      },
    );
  }

  /** Ends the turn under way and the client's prompts that wait; waits for nothing itself. */
  async cancel(id: string): Promise<void> {
    this.#errands.callOff(id);
    await this.#held.get(id)?.conversation.cancel();
  }

  choices(id: string): Choice[] {
    const { conversation, capabilities } = this.#get(id);
    return choicesOf(conversation.info, capabilities, this.#context);
  }

  /** Changes what was chosen; a runtime that cannot change it while it runs is started anew. */
  choose(id: string, choice: string, value: string): Promise<Choice[]> {
    return this.#errands.run(id, () => this.#choose(id, choice, value));
  }

  /** Ends a session. */
  close(id: string): Promise<void> {
    this.#errands.callOff(id);
    return this.#errands.run(id, async () => {
      const { conversation } = this.#get(id);
      this.#held.delete(id);
      await conversation.stop("closed by the client");
    });
  }

  /** Ends a session and forgets it. */
  remove(id: string): Promise<void> {
    this.#errands.callOff(id);
    return this.#errands.run(id, async () => {
      const info = await requireSession(this.#context.halyard, id);
      this.#held.get(id)?.conversation.leave();
      this.#held.delete(id);
      await this.#context.halyard.remove(info.id);
    });
  }

  /** The client is gone: what ran before it came goes on, and the rest ends, unless turns go on without it. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map((held) => this.#letGo(held)));
  }

  async #takeUp(id: string, { cwd, mcpServers }: Place, replay: boolean): Promise<Conversation> {
    const info = await requireSession(this.#context.halyard, id);
    await requireSame(cwd, info);
    const before = this.#held.get(id);
    if (before?.conversation.isBusy)
      throw new HalyardError("invalid_input", `a prompt is under way in ${id}: wait, or cancel it`);
    const isElsewhere = before?.isElsewhere ?? isRunning(info);
    const session = await this.#resume(info, mcpServers);
    return this.#hold(session, { ...before, mcpServers, isElsewhere }, replay);
  }

  /** The conversation, with its session running: one whose runtime has ended is resumed. */
  async #open(id: string): Promise<Conversation> {
    const held = this.#get(id);
    if (this.#context.limit) await requireSession(this.#context.halyard, id); // its policy may have been loosened since
    if (!held.conversation.hasEnded) return held.conversation;
    const info = await requireSession(this.#context.halyard, id);
    return this.#hold(await this.#resume(info, held.mcpServers), held);
  }

  async #choose(id: string, choice: string, value: string): Promise<Choice[]> {
    const held = this.#get(id);
    const { halyard } = this.#context;
    const info = await requireSession(halyard, id); // what we hold may have ended, and been changed since
    const reopened = await reopen(halyard, info, chosen(info, choice, value), {
      isBusy: held.conversation.isBusy || info.turn !== undefined,
      resume: (as) => this.#resume(as, held.mcpServers),
    });
    if (reopened) await this.#hold(reopened.session, held);
    if (reopened?.refusal !== undefined) throw reopened.refusal;
    if (reopened) await this.#client.offer(info, this.choices(id));
    return this.choices(id);
  }

  async #letGo({ conversation, isElsewhere }: Held): Promise<void> {
    conversation.leave();
    const goesOn = this.#context.turnsGoOn && conversation.info.turn !== undefined;
    if (!isElsewhere && !goesOn) await conversation.stop("the client left");
  }

  async #start(request: StartRequest, mcpServers: Place["mcpServers"]): Promise<Session> {
    const { halyard } = this.#context;
    const session = await withServers(mcpServers, (servers) =>
      halyard.start({ ...request, options: { ...request.options, ...servers } }),
    );
    await session.ready();
    return session;
  }

  async #resume(info: SessionInfo, mcpServers: Place["mcpServers"]): Promise<Session> {
    const { halyard } = this.#context;
    const { model } = info;
    const asked = { ...(model && { model }), ...(await this.#context.resumeOptions(info)) };
    try {
      return await withServers(mcpServers, (servers) =>
        halyard.resume(info.id, { ...asked, options: { ...asked.options, ...servers } }),
      );
    } catch (error) {
      if (!isUnsaid(info, error)) throw error;
      // Nothing was said in it, so nothing is lost by starting it again.
      const usual = await this.#context.startRequest(info.cwd);
      await halyard.remove(info.id);
      return this.#start({ ...usual, ...asked, ...sameAs(info) }, mcpServers);
    }
  }

  async #hold(
    session: Session,
    parts: Pick<Held, "mcpServers" | "isElsewhere"> & Partial<Held>,
    replay = false,
  ): Promise<Conversation> {
    const { id, info } = session;
    const conversation = new Conversation(session, this.#client, {
      onChange: async () => this.#client.offer(info, this.choices(id)),
      log: this.#context.log,
    });
    this.#held.get(id)?.conversation.leave();
    const capabilities = parts.capabilities ?? (await this.#capabilities(info.runtime));
    if (this.#hasLeft) await this.#letGo({ ...parts, conversation, capabilities });
    else this.#held.set(id, { ...parts, conversation, capabilities });
    const names = Object.keys(parts.mcpServers).join(", ");
    if (names !== "" && !capabilities.includes("mcp"))
      conversation.mention(
        `${info.runtime} takes no MCP servers from here, and goes without ${names}`,
      );
    if (info.fallback)
      conversation.mention(`${info.fallback.reason} ${info.runtime} runs in its place.`);
    await conversation.begin({ replay });
    return conversation;
  }

  async #capabilities(runtime: RuntimeName): Promise<readonly Capability[]> {
    const runtimes = await this.#context.halyard.runtimes();
    return runtimes.find(({ name }) => name === runtime)?.capabilities ?? [];
  }

  #get(id: string): Held {
    return this.#held.get(id) ?? notOpen(id);
  }
}

/** An editor has its servers for every agent: one that takes none does without, and its user is told. */
async function withServers(
  mcpServers: Place["mcpServers"],
  open: (options: Record<string, unknown>) => Promise<Session>,
): Promise<Session> {
  if (Object.keys(mcpServers).length === 0) return open({});
  try {
    return await open({ mcpServers });
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) throw error;
    return open({});
  }
}

function isUnsaid({ turns }: SessionInfo, error: unknown): boolean {
  return error instanceof HalyardError && error.code === "not_resumable" && turns === 0;
}

/** What makes it the same session. */
function sameAs(info: SessionInfo) {
  const { id, runtime, cwd, host, name, labels, permissions, plan, reasoning } = info;
  return {
    ...{ id, runtime, cwd, host, labels, permissions, plan },
    ...(name !== undefined && { name }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

function isRunning({ state }: SessionInfo): boolean {
  return state !== "detached" && liveStates.includes(state);
}

/** The protocol lets a session be taken up where it works, and nowhere else. */
async function requireSame(cwd: string, info: SessionInfo): Promise<void> {
  if (cwd === info.cwd) return;
  const [asked, known] = await Promise.all(
    [cwd, info.cwd].map((path) => realpath(path).catch(() => path)),
  );
  if (asked === known) return;
  throw new HalyardError("invalid_input", `${info.id} works in ${info.cwd}, not in ${cwd}`);
}

function notOpen(id: string): never {
  throw new HalyardError("session_not_found", `${id} is not open here: load or resume it first`);
}
