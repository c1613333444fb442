import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Wake } from "../../src/async/wake.ts";
import type { Connection, ConnectRequest, Output } from "../../src/contracts/adapter.ts";
import type { EventDraft } from "../../src/contracts/event-draft.ts";
import { newTurnId } from "../../src/errors/require-id.ts";
import { createLocalHost } from "../../src/hosts/local/index.ts";
import type { Receipt } from "../../src/schema/delivery.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { sampleRequest } from "../../src/testing/sample-request.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

type DraftOf<T> = Extract<EventDraft, { type: T }>;

/** A running fake agent and the drafts that it has emitted. Stopped at the end of the test. */
export class FakeConversation {
  readonly connection: Connection;
  readonly request: ConnectRequest;
  readonly outputs: Output[] = [];
  readonly drafts: EventDraft[] = [];
  /** Resolves with the error that ended the output, or with undefined if the output ended without an error. */
  readonly end: Promise<unknown>;
  readonly #wake = new Wake();
  #isOver = false;

  constructor(connection: Connection, request: ConnectRequest) {
    this.connection = connection;
    this.request = request;
    this.end = this.#listen();
  }

  send(text: string): Promise<Receipt> {
    return this.connection.send({ turnId: newTurnId(), text });
  }

  steer(text: string): Promise<Receipt> {
    return this.connection.steer({ turnId: newTurnId(), text });
  }

  /** Sends a prompt and returns the drafts of its turn. */
  async run(text: string): Promise<EventDraft[]> {
    const before = this.drafts.length;
    await this.send(text);
    await this.until("completion", before);
    return this.drafts.slice(before);
  }

  /** Resolves with the first draft of the type after the first `from` drafts. Rejects if the output ends first. */
  async until<T extends EventDraft["type"]>(type: T, from = 0): Promise<DraftOf<T>> {
    for (let at = from; ; ) {
      const { version } = this.#wake;
      for (; at < this.drafts.length; at++) {
        const draft = this.drafts[at];
        if (isOf(draft, type)) return draft;
      }
      if (this.#isOver) throw new Error(`The agent ended without a draft of type ${type}.`);
      await this.#wake.after(version);
    }
  }

  async #listen(): Promise<unknown> {
    try {
      for await (const batch of this.connection.output) {
        for (const output of batch) {
          this.outputs.push(output);
          this.drafts.push(...output.drafts);
        }
        this.#wake.notify();
      }
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#isOver = true;
      this.#wake.notify();
    }
  }
}

/** Starts the fake agent. The policy defaults to `allow-all`. */
export async function startFakeAgent(
  changes: Partial<ConnectRequest> = {},
): Promise<FakeConversation> {
  const directory = await temporaryDirectory();
  const request = sampleRequest({
    cwd: directory,
    host: createLocalHost(),
    runDir: join(directory, "run"),
    stateDir: directory,
    permissions: "allow-all",
    ...changes,
  });
  const connection = await fakeAdapter().connect(request);
  onTestFinished(() => connection[Symbol.asyncDispose]());
  return new FakeConversation(connection, request);
}

function isOf<T extends EventDraft["type"]>(
  draft: EventDraft | undefined,
  type: T,
): draft is DraftOf<T> {
  return draft?.type === type;
}

/** Returns the texts of the messages. */
export function saidIn(drafts: readonly EventDraft[]): string[] {
  return drafts.flatMap((draft) => (draft.type === "message" ? [draft.text] : []));
}
