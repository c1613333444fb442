/** A JSON-RPC message. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Parses a JSON-RPC message. Returns undefined if the text is not a JSON object. */
export function readMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const SESSION_METHODS = ["session/new", "session/load", "session/resume"];

/** Stores the messages that a new connection must send again, and the requests that are open in both directions. */
export class Requests {
  /** The `initialize` request, which every connection starts with. */
  initialize: Message | undefined;
  /** The id and the parameters of the request that opened the session. */
  #opening: { readonly id: Message["id"]; readonly params: Fields } | undefined;
  #sessionId: string | undefined;
  #cursor: string | undefined;
  /** The unfinished prompts, by id. */
  readonly #prompts = new Map<Message["id"], Message>();
  /** The agent's requests. The key is the method and the tool call id, or all parameters if the request has no tool call. */
  readonly #asked = new Map<string, AgentRequest>();
  /** The number of the connection. An agent's ids are unique only within one connection. */
  #connection = 0;
  /** The requests with which the bridge reopens the session, by id. Undefined if no reconnect is in progress. */
  #reconnect: Map<Message["id"], Message> | undefined;

  /** True if a new connection can continue the session without losing messages. */
  get canContinue(): boolean {
    return this.#sessionId !== undefined && this.#cursor !== undefined;
  }

  /** True while a new connection opens the session again. */
  get isReconnecting(): boolean {
    return this.#reconnect !== undefined;
  }

  /**
   * Records a message from Halyard and returns the message to send to the agent. Returns undefined for an answer to a
   * request that the agent has not repeated since the reconnect.
   */
  toAgent(message: Message): Message | undefined {
    const { id, method, params = {} } = message;
    if (method === "initialize") this.initialize = message;
    if (method !== undefined && SESSION_METHODS.includes(method)) {
      this.#opening = { id, params };
      if (typeof params.sessionId === "string") this.#sessionId = params.sessionId;
    }
    if (method === "session/prompt") {
      const prompt = { ...message, params: withMeta(params, { messageId: crypto.randomUUID() }) };
      this.#prompts.set(id, prompt);
      return prompt;
    }
    if (method === undefined) return this.#response(message);
    return message;
  }

  /** Records a message from the agent and returns the messages to send as a consequence. */
  receive(message: Message): Received {
    const { id, method, params } = message;
    if (method === undefined) {
      if (this.#reconnect?.has(id)) return this.#continue(message);
      this.#prompts.delete(id);
      if (this.#opening?.id === id) this.#opened(message.result);
      return { forward: message };
    }
    const { cursor } = metaOf(params);
    if (typeof cursor === "string") this.#cursor = cursor;
    if (this.#reconnect && isBareIdle(params)) return {}; // ignored: the agent's log reports the end of the turn
    return id === undefined ? { forward: message } : this.#request(message);
  }

  /**
   * Starts a reconnect and returns its first message, `initialize`. `receive` returns the other messages when the agent
   * responds.
   */
  reconnect(newId: () => string): Message {
    this.#connection += 1;
    const [greeting, resume] = [newId(), newId()];
    const { cwd, mcpServers = [] } = this.#opening?.params ?? {};
    const session = { sessionId: this.#sessionId, cwd, mcpServers };
    const params = withMeta(session, { after: this.#cursor });
    const first = { ...this.initialize, id: greeting };
    this.#reconnect = new Map<Message["id"], Message>([
      [greeting, first],
      [resume, { jsonrpc: "2.0", id: resume, method: "session/resume", params }],
    ]);
    return first;
  }

  /**
   * Handles a response to a request of the reconnect. Returns the next of these requests, or the unfinished prompts
   * after the last response.
   */
  #continue({ id, error }: Message): Received {
    if (error !== undefined)
      return { failure: `the agent rejected the reconnect: ${JSON.stringify(error)}` };
    this.#reconnect?.delete(id);
    const [next] = this.#reconnect?.values() ?? [];
    if (next) return { replies: [next] };
    this.#reconnect = undefined;
    return { replies: [...this.#prompts.values()] };
  }

  #opened(result: unknown): void {
    const { sessionId } = fieldsOf(result);
    if (typeof sessionId === "string") this.#sessionId = sessionId;
    const { cursor } = metaOf(result);
    if (typeof cursor === "string") this.#cursor = cursor;
  }

  /**
   * Forwards a request from the agent to Halyard. If the agent repeats a request after a reconnect, the bridge does not
   * forward the request again. Instead, the bridge sends the stored answer, or waits for Halyard's answer.
   */
  #request(message: Message): Received {
    const { id, method, params } = message;
    const connection = this.#connection;
    const { toolCallId } = fieldsOf(params?.toolCall ?? fieldsOf(params?.subject).toolCall);
    const about = `${method} ${JSON.stringify(toolCallId ?? params)}`;
    const known = this.#asked.get(about);
    if (known !== undefined && known.connection < connection) {
      Object.assign(known, { id, connection });
      return known.answer ? { replies: [{ ...known.answer, ...withId(id) }] } : {};
    }
    const halyardId = connection === 0 ? id : `${connection}:${id}`;
    this.#asked.set(about, { id, connection, halyardId, answer: undefined });
    return { forward: { ...message, ...withId(halyardId) } };
  }

  #response(message: Message): Message | undefined {
    const asked = [...this.#asked.values()].find(({ halyardId }) => halyardId === message.id);
    if (!asked) return message;
    asked.answer = message; // kept, because the connection may be lost now and the agent may repeat the request
    return asked.connection === this.#connection ? { ...message, ...withId(asked.id) } : undefined;
  }
}

/** The effect of a message from the agent. */
interface Received {
  readonly forward?: Message;
  /** Messages for the agent. */
  readonly replies?: readonly Message[];
  /** Why the session cannot continue. */
  readonly failure?: string;
}

interface AgentRequest {
  /** The request's id in the latest connection. */
  id: Message["id"];
  connection: number;
  /** The id that was sent to Halyard. */
  readonly halyardId: Message["id"];
  answer: Message | undefined;
}

function withId(id: Message["id"]): Pick<Message, "id"> {
  return id === undefined ? {} : { id };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns Halyard's fields in `_meta`. */
function metaOf(value: unknown): Fields {
  return fieldsOf(fieldsOf(fieldsOf(value)._meta).halyard);
}

function withMeta(params: Fields, fields: Fields): Fields {
  return { ...params, _meta: { ...fieldsOf(params._meta), halyard: fields } };
}

/** True for the state "idle" without a stop reason. */
function isBareIdle(params: Fields | undefined): boolean {
  const { sessionUpdate, state, stopReason } = fieldsOf(params?.update);
  return sessionUpdate === "state_update" && state === "idle" && stopReason === undefined;
}
