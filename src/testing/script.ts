/** The model's reply to one request. */
export type ModelReply = SpokenReply | ErrorReply;

/** A reply with text, reasoning or tool calls. */
export interface SpokenReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ModelToolCall[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Set to `max_tokens` to mark the reply as truncated. Defaults to `end_turn`. */
  readonly stopReason?: "end_turn" | "max_tokens";
  /** The delay before each chunk in the stream, in milliseconds. Defaults to 0. */
  readonly chunkDelayMs?: number;
  /** The number of characters per chunk. Defaults to 20. */
  readonly chunkSize?: number;
  /** Closes the connection after this number of chunks. Set `chunkDelayMs` too, or earlier chunks may not arrive. */
  readonly cutAfterChunks?: number;
}

/** A reply with an HTTP error. */
export interface ErrorReply {
  readonly error: {
    readonly status: number;
    readonly message: string;
    /** Additional fields in the error body, such as its `type`. Defaults to a type that fits the status. */
    readonly fields?: Readonly<Record<string, unknown>>;
    /** The response's headers, such as `retry-after`. A 429 has `retry-after: 1` by default. */
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** A tool call by the model. */
export interface ModelToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly id?: string;
}

/** A model request, independent of the API. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The names of the offered tools. */
  readonly tools: readonly string[];
}

/** A message in a model request. */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

/** A text or pattern in a user message, or a predicate for the request. */
export type When = string | RegExp | ((request: ModelRequest) => boolean);

/** One reply, or one reply per attempt. The last one repeats. */
export type Step = ModelReply | readonly ModelReply[];

/**
 * A turn in the conversation. `replies` has one step for the user's message and one for each following round of tool
 * results; the last step repeats. A turn without `when` answers requests that match no other turn.
 */
export interface ScriptedTurn {
  readonly when?: When;
  readonly replies: readonly Step[];
}

/** Selects the reply to a request. */
export class Script {
  readonly #turns: ScriptedTurn[] = [];
  readonly #served = new Map<Step, number>();

  add(turn: ScriptedTurn): void {
    this.#turns.push(turn);
  }

  clear(): void {
    this.#turns.length = 0;
  }

  /**
   * Returns the reply of the turn with the latest matching message. If several turns match the same message, uses the one
   * that was added last. Returns undefined if no turn matches.
   */
  find(request: ModelRequest): ModelReply | undefined {
    return currentReply(this.#step(request), this.#served);
  }

  /** Records that the reply from `find` was sent. */
  served(request: ModelRequest): void {
    const step = this.#step(request);
    if (step !== undefined) this.#served.set(step, (this.#served.get(step) ?? 0) + 1);
  }

  #step(request: ModelRequest): Step | undefined {
    let found: { turn: ScriptedTurn; at: number } | undefined;
    for (const turn of this.#turns) {
      const at = placeOf(turn, request);
      if (at !== undefined && at >= (found?.at ?? Number.NEGATIVE_INFINITY)) found = { turn, at };
    }
    if (found === undefined) return undefined;
    const { replies } = found.turn;
    const from = found.at < 0 ? lastUserMessage(request) : found.at;
    return replies[Math.min(toolRounds(request, from), replies.length - 1)];
  }
}

function currentReply(step: Step | undefined, served: Map<Step, number>): ModelReply | undefined {
  if (step === undefined || !isAttempts(step)) return step;
  return step[Math.min(served.get(step) ?? 0, step.length - 1)];
}

function isAttempts(step: Step): step is readonly ModelReply[] {
  return Array.isArray(step);
}

/**
 * Returns the index of the user message that starts the turn: the last one if a predicate matches, and -1 if `when` is
 * not set. Returns undefined if the turn does not match.
 */
function placeOf({ when }: ScriptedTurn, request: ModelRequest): number | undefined {
  if (when === undefined) return -1;
  if (typeof when === "function") return when(request) ? lastUserMessage(request) : undefined;
  const at = request.messages.findLastIndex(
    ({ role, text }) =>
      role === "user" && (typeof when === "string" ? text.includes(when) : when.test(text)),
  );
  return at < 0 ? undefined : at;
}

function lastUserMessage(request: ModelRequest): number {
  return request.messages.findLastIndex(({ role }) => role === "user");
}

/**
 * Counts the rounds of tool results since a message. Results that follow the message without a reply in between belong
 * to an earlier call: some runtimes send the user's text and the results as one message.
 */
function toolRounds(request: ModelRequest, from: number): number {
  let rounds = 0;
  let called = false;
  for (const { role } of request.messages.slice(from + 1)) {
    if (role === "assistant") called = true;
    if (role === "tool" && called) {
      rounds += 1;
      called = false;
    }
  }
  return rounds;
}
