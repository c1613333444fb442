import { z } from "zod";
import { createDeferred, type Deferred } from "../../../async/deferred.ts";

const TurnNotification = z.looseObject({
  params: z.looseObject({ threadId: z.string(), turn: z.looseObject({ id: z.string() }) }),
});

const ItemNotification = z.looseObject({
  params: z.looseObject({
    turnId: z.string(),
    item: z.looseObject({ id: z.string(), type: z.string() }),
  }),
});

/** Tracks the active turns of the session and its subagents, and the running commands. */
export class Activity {
  /** The active turn in each thread. */
  readonly #turns = new Map<string, string>();
  /** The promises for each turn, by turn id. */
  readonly #awaited = new Map<string, AwaitedTurn>();
  /** The running commands, with the turn that started each. */
  readonly #commands = new Map<string, string>();

  /** Updates the state from a message. Hot path: ignores most messages without parsing them. */
  onMessage(message: unknown): void {
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

  /** All active turns, including the session's own. */
  get turns(): { threadId: string; turnId: string }[] {
    return [...this.#turns].map(([threadId, turnId]) => ({ threadId, turnId }));
  }

  /** Returns the id of a thread's active turn, or undefined if the thread has none. */
  turnOf(threadId: string): string | undefined {
    return this.#turns.get(threadId);
  }

  /** Resolves when the turn starts, or immediately if it has already started. */
  started(turnId: string): Promise<void> {
    return this.#await(turnId).started.promise;
  }

  /** Resolves when the turn ends, or immediately if it has already ended. */
  ended(turnId: string): Promise<void> {
    return this.#await(turnId).ended.promise;
  }

  /** True if an earlier turn started the command and left it running. */
  isFromEarlierTurn(itemId: string, current: string): boolean {
    const turnId = this.#commands.get(itemId);
    if (turnId === undefined || turnId === current) return false;
    return ![...this.#turns.values()].includes(turnId);
  }

  /** True from the start of a command until Codex reports its end, even while the command waits for an answer. */
  isOpen(itemId: string): boolean {
    return this.#commands.has(itemId);
  }

  #turn(message: unknown, isStart: boolean): void {
    const { data } = TurnNotification.safeParse(message);
    if (data === undefined) return;
    const { threadId, turn } = data.params;
    const awaited = this.#await(turn.id);
    awaited.started.resolve();
    if (isStart) {
      this.#turns.set(threadId, turn.id);
    } else {
      awaited.ended.resolve();
      if (this.#turns.get(threadId) === turn.id) this.#turns.delete(threadId);
    }
  }

  #item(message: unknown, isStart: boolean): void {
    const { data } = ItemNotification.safeParse(message);
    if (data?.params.item.type !== "commandExecution") return;
    const { turnId, item } = data.params;
    if (isStart) this.#commands.set(item.id, turnId);
    else this.#commands.delete(item.id);
  }

  #await(turnId: string): AwaitedTurn {
    const awaited = this.#awaited.get(turnId) ?? {
      started: createDeferred<void>(),
      ended: createDeferred<void>(),
    };
    this.#awaited.set(turnId, awaited);
    return awaited;
  }
}

interface AwaitedTurn {
  readonly started: Deferred<void>;
  readonly ended: Deferred<void>;
}
