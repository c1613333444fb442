import { z } from "zod";
import { createDeferred, type Deferred } from "../../core/deferred.ts";

const TurnNote = z.looseObject({
  params: z.looseObject({ threadId: z.string(), turn: z.looseObject({ id: z.string() }) }),
});

const ItemNote = z.looseObject({
  params: z.looseObject({
    turnId: z.string(),
    item: z.looseObject({ id: z.string(), type: z.string() }),
  }),
});

/** What goes on in Codex at the moment: its turns, its sub-agents' among them, and the commands they run. */
export class Activity {
  /** Turns under way, by thread. */
  readonly #turns = new Map<string, string>();
  /** Turns that somebody waits for. */
  readonly #awaited = new Map<string, AwaitedTurn>();
  /** Commands that run, with the turn that began them. */
  readonly #commands = new Map<string, string>();

  /** The hot path: most of what comes is of no interest here. */
  hear(message: unknown): void {
    if (typeof message !== "object" || message === null || !("method" in message)) return;
    switch (message.method) {
      case "turn/started":
        this.#turn(message, true);
        break;
      case "turn/completed":
        this.#turn(message, false);
        break;
      case "item/started":
        this.#item(message, true);
        break;
      case "item/completed":
        this.#item(message, false);
        break;
    }
  }

  /** The turns under way, the session's own among them. */
  get turns(): { threadId: string; turnId: string }[] {
    return [...this.#turns].map(([threadId, turnId]) => ({ threadId, turnId }));
  }

  turnOf(threadId: string): string | undefined {
    return this.#turns.get(threadId);
  }

  /** Resolves when a turn begins that was just asked for, at once where it has. */
  begun(turnId: string): Promise<void> {
    return this.#await(turnId).begun.promise;
  }

  /** Resolves when a turn under way ends. */
  ended(turnId: string): Promise<void> {
    return this.#await(turnId).ended.promise;
  }

  /** Whether a command was begun by a turn that was over before this one, and left to run on. */
  isLeftBehind(itemId: string, current: string): boolean {
    const turnId = this.#commands.get(itemId);
    if (turnId === undefined || turnId === current) return false;
    return ![...this.#turns.values()].includes(turnId);
  }

  #turn(message: unknown, isStart: boolean): void {
    const { data } = TurnNote.safeParse(message);
    if (data === undefined) return;
    const { threadId, turn } = data.params;
    const awaited = this.#await(turn.id);
    awaited.begun.resolve();
    if (isStart) {
      this.#turns.set(threadId, turn.id);
    } else {
      awaited.ended.resolve();
      if (this.#turns.get(threadId) === turn.id) this.#turns.delete(threadId);
    }
  }

  #item(message: unknown, isStart: boolean): void {
    const { data } = ItemNote.safeParse(message);
    if (data?.params.item.type !== "commandExecution") return;
    const { turnId, item } = data.params;
    if (isStart) this.#commands.set(item.id, turnId);
    else this.#commands.delete(item.id);
  }

  #await(turnId: string): AwaitedTurn {
    const awaited = this.#awaited.get(turnId) ?? {
      begun: createDeferred<void>(),
      ended: createDeferred<void>(),
    };
    this.#awaited.set(turnId, awaited);
    return awaited;
  }
}

interface AwaitedTurn {
  readonly begun: Deferred<void>;
  readonly ended: Deferred<void>;
}
