import type { MessageInfo, Part } from "./messages.ts";

type Role = MessageInfo["role"];

/** Whose message is whose: a part does not say, and what the user says is told in parts as well. */
export class Placement {
  readonly #roles = new Map<string, Role>();
  /** Parts that came before we knew whose they are. */
  readonly #waiting = new Map<string, Part[]>();
  /** Messages that the assistant wrote to itself, to shorten the history. */
  readonly #summaries = new Set<string>();
  /** Messages of turns that have ended. */
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

  isUsers(messageId: string): boolean {
    return this.#roles.get(messageId) === "user";
  }

  note({ id, role, summary }: MessageInfo): void {
    this.#roles.set(id, role);
    if (summary === true) this.#summaries.add(id);
  }

  /** Undefined where the part has to wait: `taken` gives it back. */
  roleOf(part: Part, delta: string | undefined): Role | undefined {
    const role = this.#roles.get(part.messageID) ?? guessRole(part, delta);
    if (role !== undefined) return role;
    this.#waiting.set(part.messageID, [...(this.#waiting.get(part.messageID) ?? []), part]);
    return undefined;
  }

  /** What waited for the message. */
  taken(messageId: string): Part[] {
    const parts = this.#waiting.get(messageId) ?? [];
    this.#waiting.delete(messageId);
    return parts;
  }

  /** A turn has ended, and these messages with it. */
  close(messageIds: Iterable<string>): void {
    for (const id of messageIds) {
      this.#past.add(id);
      this.#roles.delete(id);
    }
    this.#waiting.clear();
  }
}

/** Only the assistant thinks, uses tools, takes steps, and takes time to say something. */
function guessRole({ type, time }: Part, delta: string | undefined): Role | undefined {
  if (delta !== undefined || time !== undefined) return "assistant";
  const isAssistants = type === "reasoning" || type === "tool" || type.startsWith("step-");
  return isAssistants ? "assistant" : undefined;
}
