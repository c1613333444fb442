import { unlessAborted } from "../async/unless-aborted.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";

/** A machine whose sessions are listed with those of this machine. */
export interface JoinedHost {
  readonly name: string;
  /** Connects to Halyard on the machine. Rejects with the reason if the machine does not respond. */
  reach(): Promise<Halyard>;
}

export interface JoinedOptions {
  /** Called with the name of a host that does not respond, and the reason. */
  readonly onUnreachable: (host: string, problem: unknown) => void;
  /** Called with the name of a host that responds again. */
  readonly onReached?: ((host: string) => void) | undefined;
  /**
   * True to connect to an unreachable host again at the next call, for programs that run for a long time. Defaults to
   * false: the host is reported once and then omitted.
   */
  readonly retries?: boolean | undefined;
}

/** Requests data from one host. */
type Question<T> = (halyard: Halyard, host: JoinedHost) => Promise<readonly T[]>;

/** The connections to hosts. Disposal closes them. */
export class ReachedHosts implements AsyncDisposable {
  readonly #options: JoinedOptions;
  /** The client of each host. Resolves to undefined for a host that does not respond. */
  readonly #halyards = new Map<string, Promise<Halyard | undefined>>();
  /** The hosts that were reported as unreachable. */
  readonly #lost = new Set<string>();
  /** The hosts that have received a question. */
  readonly #known = new Set<string>();
  /** The last question to each host that was not answered in time, until the host answers or the question fails. */
  readonly #unanswered = new Map<string, Promise<void>>();

  constructor(options: JoinedOptions) {
    this.#options = options;
  }

  /** Connects to a host. Rejects if the host does not respond. */
  async connect(host: JoinedHost): Promise<Halyard> {
    const halyard = await host.reach();
    this.#halyards.set(host.name, Promise.resolve(halyard));
    return halyard;
  }

  /**
   * Calls `question` on all hosts in parallel. A host that does not respond is reported and omitted. The first question
   * to a host waits until the connection is open, and then at most `ANSWER_MS` for the answer. Later questions wait at
   * most `KNOWN_MS`, or `ANSWER_MS` if `isPatient` is set.
   */
  async ask<T>(
    hosts: readonly JoinedHost[],
    question: Question<T>,
    { isPatient = false }: { readonly isPatient?: boolean } = {},
  ): Promise<T[]> {
    const answers = hosts.map((host) => this.#ask(host, question, isPatient));
    return (await Promise.all(answers)).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const halyard of this.#halyards.values()) await (await halyard)?.[Symbol.asyncDispose]();
    this.#halyards.clear();
  }

  async #ask<T>(
    host: JoinedHost,
    question: Question<T>,
    isPatient: boolean,
  ): Promise<readonly T[]> {
    const { name } = host;
    const earlier = this.#unanswered.get(name);
    // One open question is enough to notice that the host responds again.
    if (earlier && !(await settles(earlier))) return [];
    const isKnown = this.#known.has(name);
    const opening = this.#reach(host);
    if (!isKnown) await opening;
    const limitMs = isKnown && !isPatient ? KNOWN_MS : ANSWER_MS;
    const answer = opening.then((halyard) => (halyard ? question(halyard, host) : []));
    try {
      const answered = await unlessAborted(answer, AbortSignal.timeout(limitMs));
      if (await opening) this.#restore(host);
      return answered;
    } catch (error) {
      if (!isLost(error)) throw error;
      const forget = () => void this.#unanswered.delete(name);
      this.#unanswered.set(name, answer.then(forget, forget));
      this.#halyards.set(name, Promise.resolve(undefined));
      this.#lose(host, error instanceof HalyardError ? error : silent(host, limitMs, error));
      return [];
    } finally {
      this.#known.add(name);
    }
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

/** Returns true if the promise resolves within `KNOWN_MS`. */
function settles(promise: Promise<void>): Promise<boolean> {
  return unlessAborted(promise, AbortSignal.timeout(KNOWN_MS)).then(
    () => true,
    () => false,
  );
}

/** How long the first question to a host, or a question with `isPatient`, waits for the answer, in milliseconds. */
const ANSWER_MS = 20_000;
/** How long later questions wait for the answer, in milliseconds. */
const KNOWN_MS = 2_000;
