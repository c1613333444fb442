import { unlessAborted } from "../async/unless-aborted.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";

/** A machine whose sessions are listed with those of this machine. */
export interface JoinedHost {
  readonly name: string;
  /** Connects to the Halyard of the machine. Rejects with the reason if the machine does not respond. */
  reach(): Promise<Halyard>;
}

export interface JoinedOptions {
  /** Called with each host that does not respond. */
  readonly onUnreachable: (host: string, problem: unknown) => void;
  /** Called with a host that responds again. */
  readonly onReached?: ((host: string) => void) | undefined;
  /**
   * True to retry a host that does not respond at the next call, for programs that run for a long time. Defaults to
   * false: the host is reported once and then omitted.
   */
  readonly retries?: boolean | undefined;
}

/** The connections to hosts. Disposal closes them. */
export class ReachedHosts implements AsyncDisposable {
  readonly #options: JoinedOptions;
  /** The Halyard of each host. Resolves to undefined for a host that does not respond. */
  readonly #halyards = new Map<string, Promise<Halyard | undefined>>();
  /** The hosts that were reported as unreachable. */
  readonly #lost = new Set<string>();

  constructor(options: JoinedOptions) {
    this.#options = options;
  }

  /** Connects to a host. Rejects if it does not respond. */
  async connect(host: JoinedHost): Promise<Halyard> {
    const halyard = await host.reach();
    this.#halyards.set(host.name, Promise.resolve(halyard));
    return halyard;
  }

  /** Calls `question` on all hosts in parallel. A host that does not respond is reported and omitted. */
  async ask<T>(
    hosts: readonly JoinedHost[],
    question: (halyard: Halyard, host: JoinedHost) => Promise<readonly T[]>,
  ): Promise<T[]> {
    const answers = hosts.map(async (host) => {
      // A list waits for a lost connection for a shorter time than a reader of events.
      const limitMs = this.#lost.has(host.name) ? RETRY_MS : ANSWER_MS;
      const halyard = await this.#reach(host);
      if (halyard === undefined) return [];
      try {
        const answer = await unlessAborted(question(halyard, host), AbortSignal.timeout(limitMs));
        this.#restore(host);
        return answer;
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#halyards.set(host.name, Promise.resolve(undefined));
        this.#lose(host, error instanceof HalyardError ? error : silent(host, limitMs, error));
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
    const isRetried = this.#options.retries === true && this.#lost.has(host.name);
    if (known && !isRetried) return known;
    const reached = host.reach().catch((error: unknown) => {
      this.#lose(host, error);
      return undefined;
    });
    this.#halyards.set(host.name, reached);
    return reached;
  }

  #lose({ name }: JoinedHost, problem: unknown): void {
    this.#lost.add(name);
    this.#options.onUnreachable(name, problem);
  }

  #restore({ name }: JoinedHost): void {
    if (this.#lost.delete(name)) this.#options.onReached?.(name);
  }
}

function isLost(error: unknown): boolean {
  if (error instanceof HalyardError) return error.code === "unreachable";
  return error instanceof DOMException && error.name === "TimeoutError";
}

function silent({ name }: JoinedHost, limitMs: number, cause: unknown): HalyardError {
  const message = `${name} does not respond: no answer within ${limitMs / 1000} s. Run "halyard host list" to try it again.`;
  return new HalyardError("unreachable", message, { cause });
}

/** How long to wait for a host's response, in milliseconds. */
const ANSWER_MS = 20_000;
/** How long to wait for a host that did not respond before, in milliseconds. */
const RETRY_MS = 5_000;
