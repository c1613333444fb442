import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { limitHalyard } from "../permissions/limit-halyard.ts";
import type { SessionId } from "../schema/id.ts";
import type { McpContext } from "./context.ts";

/** The name of the label of sessions that clients started over HTTP. HTTP connections contain no client identity. */
const LABEL = "mcp";

/** The rights of a client: the sessions that it can use, and those that it started. */
export class McpSession {
  readonly context: McpContext;
  readonly #started = new Set<SessionId>();
  #halyard: Promise<Halyard> | undefined;

  constructor(context: McpContext) {
    this.context = context;
  }

  /** Returns the Halyard instance, limited to the client's policy. The first call opens the instance. */
  halyard(): Promise<Halyard> {
    this.#halyard ??= this.#open();
    this.#halyard.catch(() => {
      this.#halyard = undefined;
    });
    return this.#halyard;
  }

  /** The labels of a session that the client starts. */
  get labels(): { labels?: Record<string, string> } {
    const { client } = this.context;
    return client === undefined ? {} : { labels: { [LABEL]: client } };
  }

  addStarted(id: SessionId): void {
    this.#started.add(id);
  }

  /**
   * Adds a fork or a handoff to the client's sessions if the original is one of them. A fork of a user's session is not,
   * because it may have the keys, the machine and the trust that the user gave to the original.
   */
  async addContinuation(id: SessionId, original: SessionId): Promise<void> {
    if (await this.isOwn(original)) this.addStarted(id);
  }

  async isOwn(id: SessionId): Promise<boolean> {
    if (this.#started.has(id)) return true;
    const { client } = this.context;
    if (client === undefined) return false;
    return (await (await this.halyard()).find(id))?.labels[LABEL] === client;
  }

  /** True if the client may answer a session's requests. */
  async mayAnswer(id: SessionId): Promise<boolean> {
    return this.context.answers && (await this.isOwn(id));
  }

  async requireAnswers(id: SessionId): Promise<void> {
    if (!this.context.answers)
      throw new HalyardError(
        "forbidden",
        'This client may not answer requests. To allow it, start "halyard mcp" with --answers, or "halyard serve" with --mcp-answers.',
      );
    if (await this.isOwn(id)) return;
    throw new HalyardError(
      "forbidden",
      `Session ${id} was not started by this client. Run "halyard requests" to list its requests with the commands that answer them.`,
    );
  }

  async #open(): Promise<Halyard> {
    return limitHalyard(await this.context.halyard(), this.context.permissions);
  }
}
