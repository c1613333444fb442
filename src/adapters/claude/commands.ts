import type { CommandLifecycle } from "./messages.ts";

/** What becomes of the messages that Claude was given, as far as it tells: 2.1.197 says nothing of it. */
export class Commands {
  /** Taken and not yet begun. */
  readonly #waiting = new Set<string>();
  readonly #disowned = new Set<string>();
  #areTold = false;

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** What follows from this message belongs to no turn of ours. */
  disown(uuid: string): void {
    this.#disowned.add(uuid);
  }

  isDisowned(uuid: string): boolean {
    return this.#disowned.has(uuid);
  }

  /** Whether a turn that begins with these is one of ours; one without any Claude began by itself. */
  startsOurs(uuids: readonly string[] = []): boolean {
    return !this.#areTold || uuids.some((uuid) => !this.isDisowned(uuid));
  }

  /** `withdrawn`: it was cancelled before anything came of it. */
  hear({ command_uuid: uuid, state }: CommandLifecycle): "begun" | "withdrawn" | undefined {
    this.#areTold = true;
    if (state === "queued") {
      this.#waiting.add(uuid);
      return undefined;
    }
    const wasWaiting = this.#waiting.delete(uuid);
    if (state === "started") return "begun";
    return state === "cancelled" && wasWaiting ? "withdrawn" : undefined;
  }
}
