/** What the model says to one request. */
export type ModelReply = SpokenReply | ErrorReply;

/** The model speaks, thinks, calls tools. */
export interface SpokenReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ModelToolCall[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** `max_tokens` where the model is to break off for want of room. */
  readonly stopReason?: "end_turn" | "max_tokens";
  /** The pause before each piece of the stream. */
  readonly chunkDelayMs?: number;
  /** How many characters make a piece. */
  readonly chunkSize?: number;
  /** Hangs up after that many pieces; the pieces before the last arrive only if there is a pause between them. */
  readonly cutAfterChunks?: number;
}

/** The model refuses, as an HTTP error. */
export interface ErrorReply {
  readonly error: { readonly status: number; readonly message: string };
}

/** A tool that the model calls. */
export interface ModelToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly id?: string;
}

/** A request as the model sees it, whatever the wire protocol. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The names of the tools on offer. */
  readonly tools: readonly string[];
}

/** One message of the conversation as the model sees it. */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

/** What a user's message must contain, or what must hold of the request as a whole. */
export type When = string | RegExp | ((request: ModelRequest) => boolean);

/** The reply to a request, or the replies to attempt after attempt, the last one from then on. */
export type Step = ModelReply | readonly ModelReply[];

/**
 * A turn of the conversation: `replies` has one step for the user's message and one for each round of tool results
 * after it, the last one from then on. Without `when` it answers whatever nothing else does.
 */
export interface ScriptedTurn {
  readonly when?: When;
  readonly replies: readonly Step[];
}

/** Decides which line of the script answers a request. */
export class Script {
  readonly #turns: ScriptedTurn[] = [];
  readonly #served = new Map<Step, number>();

  add(turn: ScriptedTurn): void {
    this.#turns.push(turn);
  }

  clear(): void {
    this.#turns.length = 0;
  }

  /** The turn whose message is the latest in the conversation; among equals the one added last. */
  find(request: ModelRequest): ModelReply | undefined {
    return currentReply(this.#step(request), this.#served);
  }

  /** The reply that `find` named has been given. */
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

/** Where in the conversation the turn begins: the index of its message, and past all of them if it claims the request. */
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
 * How often tools have answered since that message. Results that follow it with no reply in between belong to an
 * earlier call: some runtimes send the user's words and the results as one message.
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
