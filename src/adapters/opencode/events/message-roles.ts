import type { MessageInfo, Part } from "../messages.ts";

type Role = MessageInfo["role"];

/**
 * Tracks each message's role, and whether its turn has ended. Parts do not contain a role, and user messages have parts
 * too.
 */
export class MessageRoles {
  readonly #roles = new Map<string, Role>();
  /** Parts of messages whose role is not known yet. */
  readonly #waiting = new Map<string, Part[]>();
  /** Assistant messages that summarize the history. */
  readonly #summaries = new Set<string>();
  /** Messages in turns that have ended. */
  readonly #past = new Set<string>();

  isKnown(messageId: string): boolean {
    return this.#roles.has(messageId);
  }

  isPast(messageId: string): boolean {
    return this.#past.has(messageId);
  }

  isSummary(messageId: string): boolean {
    return this.#summaries.has(messageId);
  }

  isFromUser(messageId: string): boolean {
    return this.#roles.get(messageId) === "user";
  }

  add({ id, role, summary }: MessageInfo): void {
    this.#roles.set(id, role);
    if (summary === true) this.#summaries.add(id);
  }

  /** Returns a part's role. If it is unknown, stores the part for `takeWaiting` and returns undefined. */
  roleOf(part: Part, delta: string | undefined): Role | undefined {
    const role = this.#roles.get(part.messageID) ?? guessRole(part, delta);
    if (role !== undefined) return role;
    this.#waiting.set(part.messageID, [...(this.#waiting.get(part.messageID) ?? []), part]);
    return undefined;
  }

  /** Removes and returns a message's stored parts. */
  takeWaiting(messageId: string): Part[] {
    const parts = this.#waiting.get(messageId) ?? [];
    this.#waiting.delete(messageId);
    return parts;
  }

  /** Marks the messages in a turn that has ended. */
  close(messageIds: Iterable<string>): void {
    for (const id of messageIds) {
      this.#past.add(id);
      this.#roles.delete(id);
    }
    this.#waiting.clear();
  }
}

/** Guesses the role: only the assistant has reasoning, tools, steps, timed parts and deltas. */
function guessRole({ type, time }: Part, delta: string | undefined): Role | undefined {
  if (delta !== undefined || time !== undefined) return "assistant";
  const isFromAssistant = type === "reasoning" || type === "tool" || type.startsWith("step-");
  return isFromAssistant ? "assistant" : undefined;
}
