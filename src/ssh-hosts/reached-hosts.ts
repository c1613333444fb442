import { unlessAborted } from "../async/unless-aborted.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";

/** A machine whose sessions are listed with those of this machine. */
export interface JoinedHost {
  readonly name: string;
  /** Connects to the Halyard of the machine. Rejects with the reason if it does not respond. */
  reach(): Promise<Halyard>;
}

export interface JoinedOptions {
  /** Called once for each host that does not respond. */
  readonly onUnreachable: (host: string, problem: unknown) => void;
}

/** The connections to hosts. Disposal closes them. */
export class ReachedHosts implements AsyncDisposable {
  readonly #onUnreachable: JoinedOptions["onUnreachable"];
  /** Undefined for a host that does not respond. It has been reported, and is not tried again. */
  readonly #halyards = new Map<string, Promise<Halyard | undefined>>();

  constructor({ onUnreachable }: JoinedOptions) {
    this.#onUnreachable = onUnreachable;
  }

  /** Connects to a host. Rejects if it does not respond. */
  async connect(host: JoinedHost): Promise<Halyard> {
    const halyard = await host.reach();
    this.#halyards.set(host.name, Promise.resolve(halyard));
    return halyard;
  }

  /** Calls `question` on all hosts in parallel. A host that does not respond is reported once and omitted. */
  async ask<T>(
    hosts: readonly JoinedHost[],
    question: (halyard: Halyard, host: JoinedHost) => Promise<readonly T[]>,
  ): Promise<T[]> {
    const answers = hosts.map(async (host) => {
      const halyard = await this.#reach(host);
      if (halyard === undefined) return [];
      try {
        // shorter than the retries of a reader of events, because a user waits for the list
        const limit = AbortSignal.timeout(ANSWER_MS);
        return await unlessAborted(question(halyard, host), limit);
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#halyards.set(host.name, Promise.resolve(undefined));
        this.#onUnreachable(host.name, error);
        return [];
      }
    });
    return (await Promise.all(answers)).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const halyard of this.#halyards.values()) await (await halyard)?.[Symbol.asyncDispose]();
    this.#halyards.clear();
  }

  #reach(host: JoinedHost): Promise<Halyard | undefined> {
    const known = this.#halyards.get(host.name);
    if (known) return known;
    const reached = host.reach().catch((error: unknown) => {
      this.#onUnreachable(host.name, error);
      return undefined;
    });
    this.#halyards.set(host.name, reached);
    return reached;
  }
}

function isLost(error: unknown): boolean {
  if (error instanceof HalyardError) return error.code === "unreachable";
  return error instanceof DOMException && error.name === "TimeoutError";
}

const ANSWER_MS = 20_000;
